#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# check-build.sh w1|sparse - build our modules for KERNEL, warnings are errors
#
# A folder of its own: what fails is built again the next time, so that no
# warning is forgotten, and the flags do not disturb the other builds.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

gate=${1:-}
case $gate in
w1) flags=(W=1 KCFLAGS=-Werror) ;;
sparse) flags=(C=1 "CF=-Wsparse-error") ;;
*) die "usage: check-build.sh w1|sparse" ;;
esac

[ -e Kbuild ] || die "there is no Kbuild to build modules by"
export OUT=$ROOT/build/check/$gate
log=$OUT.log
mkdir -p "$OUT"
status=0
scripts/modules.sh -k "${flags[@]}" > "$log" 2>&1 || status=1
# modpost only warns
grep -q 'WARNING: modpost' "$log" && status=1
[ $status = 0 ] || grep -E 'warning:|error:|WARNING:|ERROR:|\*\*\*|^verbena' \
	"$log" | sed "s|$OUT/||g" | sort -u
echo "$(find "$OUT" -name '*.ko' | wc -l) modules of" \
	"$(find "$OUT" -name '*.c' ! -name '*.mod.c' | wc -l) files," \
	"kernel ${KERNEL:-stock}"
exit $status
