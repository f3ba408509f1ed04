#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# demo.sh - our stack on our adapter, seen through other people's programs
#
# Fails when a step fails, when the guest's kernel reports a bug, or when the
# adapter has objects left after the modules are gone.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

export STACK=ours KERNEL=stock CENSUS=1 TIMEOUT=${TIMEOUT:-300}
# shellcheck disable=SC2016 # variables of the guest's shell
export CMD='
show() {
	printf "\n# %s\n" "$*"
	"$@"
}

# pair TOOL [OPTION...] - one process serves, another transfers
pair() {
	printf "\n# %s & %s localhost\n" "$*" "$*"
	"$@" > /tmp/server 2>&1 &
	server=$!
	# the server listens on its port once its objects are made
	for try in $(seq 100); do
		ss -Hltn | grep -q : && break
		sleep 0.1
	done
	if "$@" localhost && wait $server; then
		return
	fi
	echo "failed; the server said:"
	cat /tmp/server
	return 1
}

set -e
printf "\n# insmod ib_core.ko ib_uverbs.ko connectx.ko; lsmod\n"
lsmod | grep -E "^(Module|ib_|connectx)"
show ibv_devinfo
pair ibv_rc_pingpong
pair ib_write_bw -F -s 65536 -n 500
printf "\n# rmmod connectx ib_uverbs ib_core\n"
'

# what a test wants to happen in the guest at the end
CMD+=${DEMO_END:-}

echo "# make vm: Debian's kernel and rdma-core, our modules, our adapter"
scripts/vm.py
echo
echo "demo: passed in $SECONDS s, set-up not counted"
