#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# build.sh SOURCE OUT FRAGMENT... - build a kernel and its modules in OUT
#
# The time of a kernel build is the bench's largest cost, so this file and
# the fragments are the only inputs of a built kernel's cache key: change
# them with care.
set -euo pipefail

source=$1 out=$2
shift 2
jobs=${JOBS:-$(nproc)}

# The same input gives the same kernel, whoever builds it and when.
export KBUILD_BUILD_TIMESTAMP='2025-01-01 00:00:00' KBUILD_BUILD_USER=verbena
export KBUILD_BUILD_HOST=bench KBUILD_BUILD_VERSION=1

mkdir -p "$out"
make -s -C "$source" O="$out" allnoconfig KCONFIG_ALLCONFIG=<(cat "$@")

# Kconfig drops silently what it cannot have.
missing=$(sed -n '/^CONFIG_[A-Z0-9_]*=[ym]$/p' "$@" |
	grep -vxFf "$out/.config" || true)
for line in $missing; do
	# a later fragment may have the last word
	name=${line%=*}
	last=$(cat "$@" | grep "^$name=" | tail -1)
	[ "$last" != "$line" ] || echo "not taken by Kconfig: $line"
done

make -s -C "$source" O="$out" -j"$jobs" bzImage modules
rm -rf "$out/install"
make -s -C "$source" O="$out" INSTALL_MOD_PATH="$out/install" modules_install
