#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# stock.sh - Debian's own kernel, its RDMA modules, and headers to build ours
set -euo pipefail
. "$(dirname "$0")/../lib.sh"
. scripts/setup/apt.sh

list=scripts/kernel/stock.modules
init=scripts/guest/initramfs-init

name() { echo kernel-stock; }
hash() {
	hash_of "linux-$SERIES $VERSION_CODENAME" scripts/setup/stock.sh \
		"$list" "$init"
}
about() { echo "Debian's kernel and headers (120 MB download)"; }
need_mb() { echo 1200; }

# newest - the newest release of which both image and headers are there
newest() {
	local release
	apt-cache pkgnames "linux-headers-$SERIES." |
		sed -nE 's/^linux-headers-([0-9.]+\+deb[0-9.]+-amd64)$/\1/p' |
		sort -rV | while read -r release; do
		if apt-cache show "linux-image-$release" > /dev/null 2>&1; then
			echo "$release"
			break
		fi
	done
}

# keep_modules FROM TO RELEASE WORK - the listed modules with what they need,
# unpacked: a guest under emulation takes long to do that
keep_modules() {
	local from=$1 to=$2 release=$3 work=$4 kind module file

	depmod -b "$from" "$release"
	sed '/^#/d' "$list" | while read -r kind module; do
		[ -n "$module" ] || module=$kind
		modprobe -d "$from" -S "$release" --show-depends "$module"
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' > "$work/order"

	while read -r file; do
		module=$to/lib/modules/${file#*/lib/modules/}
		mkdir -p "${module%/*}"
		case $file in
		*.xz) xz -dc "$file" > "${module%.xz}" ;;
		*.zst) zstd -qdc "$file" > "${module%.zst}" ;;
		*) cp "$file" "$module" ;;
		esac
	done < "$work/order"
	cp "$from/lib/modules/$release"/modules.{builtin,builtin.modinfo,order} \
		"$to/lib/modules/$release/"
	depmod -b "$to" "$release"
	ln -sfn lib/modules "$to/modules"
}

# write_initramfs OUT ROOT - what mounts the disk: busybox and a few modules
write_initramfs() {
	local out=$1 busybox=$2/bin/busybox tree=$1/initramfs n=10 file
	local release
	release=$(cat "$out/release")

	[ -e "$busybox" ] || busybox=$2/usr/bin/busybox
	mkdir -p "$tree"/{bin,dev,proc,sys,root,modules}
	cp "$busybox" "$tree/bin/busybox"
	install -m 755 "$init" "$tree/init"
	sed -n 's/^boot //p' "$list" | while read -r module; do
		modprobe -d "$out" -S "$release" --show-depends "$module"
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' |
		while read -r file; do
		cp "$file" "$tree/modules/$n-${file##*/}"
		n=$((n + 1))
	done
	(cd "$tree" && find . | cpio -o -H newc --quiet | gzip -1) \
		> "$out/initrd"
	rm -rf "$tree"
}

build() {
	local out=$1 work=$1/work root=$1/work/root release base headers

	apt_open "$work" "$VERSION_CODENAME"{,-updates,-security,-backports}
	release=$(newest)
	[ -n "$release" ] ||
		die "no linux-image-$SERIES for $VERSION_CODENAME found" \
			"the bench needs a Debian 12 or 13 mirror with Linux $SERIES"
	base=${release%-amd64}
	apt_unpack "$root" "linux-image-$release" "linux-headers-$release" \
		"linux-headers-$base-common" "linux-kbuild-$base" busybox-static
	echo "$release" > "$out/release"
	echo "$release" > "$out/version"

	cp "$root/boot/vmlinuz-$release" "$out/vmlinuz"
	cp "$root/boot/config-$release" "$out/config"
	[ -d "$root/lib/modules" ] || ln -s usr/lib "$root/lib"
	keep_modules "$root" "$out" "$release" "$work"
	write_initramfs "$out" "$root"

	# The headers find each other by absolute paths: make them relative.
	mkdir -p "$out/usr/lib"
	mv "$root/usr/src" "$out/usr/src"
	mv "$root"/usr/lib/linux-kbuild-* "$out/usr/lib/"
	headers=$out/usr/src/linux-headers-$release
	# shellcheck disable=SC2016 # make's variable, not the shell's
	printf 'include $(dir $(lastword $(MAKEFILE_LIST)))../%s/Makefile\n' \
		"linux-headers-$base-common" > "$headers/Makefile"
	# Debian names the compiler of its build; this machine's will do.
	sed -i -E 's/^(CC = .*)x?gcc-[0-9]+$/\1gcc/' "$headers/.kernelvariables"
	ln -sfn "usr/src/linux-headers-$release" "$out/kdir"
	rm -rf "$work"
}

"$@"
