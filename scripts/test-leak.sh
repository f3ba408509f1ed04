#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# test-leak.sh - the demo has to fail when the adapter keeps an object
#
# The leak is made by the adapter's firmware: it refuses the first command of
# the unloading, which destroys something.
set -uo pipefail
. "$(dirname "$0")/lib.sh"

DEMO_END='cxctl fail-cmd 1 5' scripts/demo.sh 2>&1 | tee /dev/stderr |
	grep -q '^objects left: [1-9]'
status=("${PIPESTATUS[@]}")
[ "${status[0]}" != 0 ] || die "the demo passed with an object left"
[ "${status[2]}" = 0 ] || die "the census does not show the object"
