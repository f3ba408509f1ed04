#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# qemu.sh - a QEMU that has vfio-user-pci, as a folder that can be moved
#
# Debian 12's QEMU is too old. Debian's newest is unpacked beside the
# libraries and the loader that it was built with, so it runs on older hosts.
set -euo pipefail
. "$(dirname "$0")/../lib.sh"
. scripts/setup/apt.sh

name() { echo qemu; }
hash() { hash_of trixie-backports scripts/setup/qemu.sh; }
about() { echo "QEMU with vfio-user (38 MB download)"; }
need_mb() { echo 400; }

# What the package brings and the bench's machine does not load.
unused='passwd|login.*|debconf|adduser|libpam.*|openssl-provider.*|ipxe-qemu'

write_wrapper() {
	cat > "$1" <<-'EOF'
	#!/bin/sh
	# runs the QEMU beside this file with its own loader and libraries
	dir=$(dirname "$(readlink -f "$0")")
	# the host may have modules of another QEMU
	export QEMU_MODULE_DIR="$dir/modules"
	exec "$dir/lib/ld-linux-x86-64.so.2" --library-path "$dir/lib" \
		"$dir/qemu.bin" -L "$dir/share" "$@"
	EOF
	chmod +x "$1"
}

build() {
	local out=$1 work=$1/work root=$1/work/root
	local lib=$root/usr/lib/x86_64-linux-gnu
	local qemu=$root/usr/bin/qemu-system-x86_64
	local ld=$lib/ld-linux-x86-64.so.2
	local deb file from to

	apt_open "$work" trixie trixie-backports
	apt-get -qq -y --download-only -t trixie-backports \
		install qemu-system-x86 ||
		die "apt could not download QEMU" \
			"check the network, then run this again"
	for deb in "$work"/cache/archives/*.deb; do
		file=${deb##*/}
		[[ ${file%%_*} =~ ^($unused)$ ]] || dpkg-deb -x "$deb" "$root"
	done

	mkdir -p "$out"/{lib,share,modules}
	"$ld" --library-path "$lib" --list "$qemu" > "$work/libraries"
	while read -r _ to from _; do
		[ "$to" = '=>' ] || continue
		[[ $from = "$root"/* ]] || die "QEMU needs $from of the host"
		cp -L "$from" "$out/lib/"
	done < "$work/libraries"
	cp -L "$ld" "$out/lib/ld-linux-x86-64.so.2"
	cp "$qemu" "$out/qemu.bin"
	cp "$root"/usr/share/qemu/{kvmvapic,linuxboot_dma,pvh,multiboot_dma}.bin \
		"$root"/usr/share/seabios/{bios-256k,bios}.bin "$out/share/"
	write_wrapper "$out/qemu-system-x86_64"
	rm -rf "$work"

	"$out/qemu-system-x86_64" -device vfio-user-pci,help > /dev/null 2>&1 ||
		die "Debian's newest QEMU does not run here, or lacks vfio-user"
	"$out/qemu-system-x86_64" --version |
		sed -n '1s/.*version \([0-9.]*\).*/\1/p' > "$out/version"
}

"$@"
