#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# check-build.sh - build our modules for KERNEL; warnings of the compiler (W=1),
# of sparse and of modpost are errors
#
# A folder of its own: what fails is built again the next time, so that no
# warning is forgotten, and the flags do not disturb the other builds.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

[ -e Kbuild ] || die "there is no Kbuild to build modules by"
export OUT=$ROOT/build/check/modules-${KERNEL:-stock}
log=$OUT.log
mkdir -p "$OUT"
status=0
scripts/modules.sh -k W=1 KCFLAGS=-Werror C=1 CF=-Wsparse-error \
	> "$log" 2>&1 || status=1
# modpost only warns
grep -q 'WARNING: modpost' "$log" && status=1
[ $status = 0 ] || grep -E 'warning:|error:|WARNING:|ERROR:|\*\*\*|^verbena' \
	"$log" | sed "s|$OUT/||g" | sort -u
echo "$(find "$OUT" -name '*.ko' | wc -l) modules of" \
	"$(find "$OUT" -name '*.c' ! -name '*.mod.c' | wc -l) files," \
	"kernel ${KERNEL:-stock}"
exit $status
