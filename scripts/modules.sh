#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# modules.sh - build our modules for KERNEL in build/modules-$KERNEL, or in OUT
#
# The sources are copied there, so that one clone serves several kernels and
# kbuild's files stay out of the tree. W=1, C=2 and the like are for make.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

KERNEL=${KERNEL:-stock}
out=${OUT:-$ROOT/build/modules-$KERNEL}
kernel=$(scripts/kernel.sh "$KERNEL")

mkdir -p "$out"
exec 9> "$out/.lock"
flock 9

# Another kernel's objects are of no use; make would not notice.
if [ "$(cat "$out/.kernel" 2>/dev/null)" != "$kernel" ]; then
	find "$out" -mindepth 1 ! -name .lock -delete
	echo "$kernel" > "$out/.kernel"
fi

# What kbuild made there stays, what is gone from the tree goes.
rsync -a --delete --exclude='.*' --exclude='*.o' --exclude='*.ko' \
	--exclude='*.mod' --exclude='*.mod.c' --exclude='modules.order' \
	--exclude='Module.symvers' --include='/Kbuild' \
	--include='/drivers/***' --include='/include/***' \
	--include='/uapi/***' --include='/kunit/***' \
	--include='/samples/***' --exclude='*' ./ "$out/"

# BTF would need pahole, and helps nobody here.
exec make -s -C "$kernel/kdir" M="$out" CONFIG_DEBUG_INFO_BTF_MODULES= \
	-j"${JOBS:-$(nproc)}" --no-print-directory "$@" modules 9>&-
