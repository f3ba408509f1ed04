#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# cached.sh STEP - print the cache's folder of a set-up step: qemu, guest, …
set -euo pipefail
. "$(dirname "$0")/lib.sh"

script=scripts/setup/${1:?usage: cached.sh STEP}.sh
[ -x "$script" ] || die "no such set-up step: $1"
cached "$("$script" name)" "$("$script" hash)" ||
	die "'$1' is not set up" "run: make setup"
