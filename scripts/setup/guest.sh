#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# guest.sh - the guest's disk: Debian 13 with unmodified rdma-core
set -euo pipefail
. "$(dirname "$0")/../lib.sh"
. scripts/setup/apt.sh

list=scripts/guest/packages
suite=trixie

name() { echo guest; }
hash() { hash_of "$suite" scripts/setup/guest.sh "$list"; }
about() { echo "guest tree (about 2 minutes)"; }
need_mb() { echo 1500; }

# What never runs in the guest; rdma-core's tests are in its doc folder.
trim=(
	--dpkgopt='path-exclude=/usr/share/man/*'
	--dpkgopt='path-exclude=/usr/share/info/*'
	--dpkgopt='path-exclude=/usr/share/locale/*'
	--dpkgopt='path-exclude=/usr/share/doc/*'
	--dpkgopt='path-include=/usr/share/doc/rdma-core*'
	--dpkgopt='path-include=/usr/share/doc/python3-pyverbs*'
	--dpkgopt='path-exclude=/usr/lib/udev/hwdb.d/*'
)

# The rest of the guest's start is in scripts/guest, shared at run time, so
# that a change there does not make a new disk.
write_init() {
	cat > "$1" <<-'EOF'
	#!/bin/sh
	mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144 run /mnt/run
	exec /bin/sh /mnt/run/init
	EOF
	chmod +x "$1"
}

build() {
	local out=$1 tree=$1/tree where packages

	[ "$(id -u)" = 0 ] ||
		die "making the guest's tree needs root" \
			"run: sudo make setup VERBENA_CACHE=$CACHE" \
			"then run this again"
	where=$(mirror "$suite") ||
		die "no Debian source for $VERSION_CODENAME in /etc/apt" \
			"add one to /etc/apt/sources.list.d, then run this again"
	packages=$(sed '/^#/d' "$list" | paste -sd,)
	mmdebstrap --variant=apt --mode=root --components=main \
		--keyring="${where#* }" --include="$packages" \
		--aptopt='Apt::Install-Recommends "false"' \
		--aptopt='Acquire::Languages "none"' "${trim[@]}" \
		"$suite" "$tree" "${where%% *}" ||
		die "mmdebstrap could not make the guest's tree" \
			"check the network, then run this again"

	rm -rf "$tree"/etc/apt/sources.list* "$tree"/var/lib/apt/lists/* \
		"$tree"/var/cache/apt/* "${tree:?}"/dev/*
	mkdir -p "$tree"/mnt/{run,share,modules} "$tree/lib/modules"
	find "$tree/usr/share/doc" -path '*/tests/*.gz' -exec gunzip -f {} +
	echo verbena > "$tree/etc/hostname"
	write_init "$tree/sbin/bench-init"
	# shellcheck disable=SC2016 # dpkg's variable
	chroot "$tree" dpkg-query -W -f '${Version}\n' rdma-core > "$out/version"

	truncate -s 1G "$out/disk.img"
	mke2fs -q -t ext2 -L guest -d "$tree" "$out/disk.img"
	rm -rf "$tree"
}

"$@"
