#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# kernel.sh - the bench's own kernels; KERNEL says which
set -euo pipefail
. "$(dirname "$0")/../lib.sh"

here=scripts/kernel
fragments=("$here/test.config" "$here/peer.config")
[ "$KERNEL" = test ] || fragments+=("$here/$KERNEL.config")

source=$(cached source "$(scripts/setup/source.sh hash)") || source=

name() { echo "kernel-$KERNEL"; }
hash() { hash_of "${source##*/}" "$here/build.sh" "${fragments[@]}"; }
about() { echo "kernel for KERNEL=$KERNEL (about 7 minutes on 2 cores)"; }
need_mb() { echo 2500; }
# an interrupted build goes on where it was
keep() { :; }

build() {
	"$here/build.sh" "$source" "$1" "${fragments[@]}"
	cp "$source/version" "$1/version"
	cp "$1/include/config/kernel.release" "$1/release"
	ln -sfn arch/x86/boot/bzImage "$1/vmlinuz"
	ln -sfn install/lib/modules "$1/modules"
	ln -sfn . "$1/kdir"
}

"$@"
