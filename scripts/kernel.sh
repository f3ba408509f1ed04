#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# kernel.sh KERNEL - print the cache's folder of a kernel
#
# There: vmlinuz, initrd if it needs one, modules (for /lib/modules), kdir
# (what kbuild wants to see), release.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

KERNEL=${1:?usage: kernel.sh stock|test|debug}
export KERNEL
case $KERNEL in
stock) script=scripts/setup/stock.sh ;;
test|debug) script=scripts/setup/kernel.sh ;;
*) die "KERNEL=$KERNEL: it is one of stock, test, debug" ;;
esac
cached "$("$script" name)" "$("$script" hash)" ||
	die "KERNEL=$KERNEL is not set up" "run: make setup KERNEL=$KERNEL"
