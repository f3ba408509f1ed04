#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# test-peer.sh - the adapter reaches the memory of another PCI function
#
# That is QEMU's ivshmem-plain, whose BAR is a file here. What a program in the
# guest had the adapter write there at last has to be in it afterwards.
set -uo pipefail
. "$(dirname "$0")/lib.sh"

export STACK=${STACK:-ours} KERNEL=${KERNEL:-test} CENSUS=1
export SHARE=$ROOT/build/testing
file=$SHARE/peer.bar
rm -f "$file"
truncate -s 2M "$file"
export QEMU_ARGS="${QEMU_ARGS:-} -object memory-backend-file,id=peer,mem-path=$file,size=2M,share=on
	-device ivshmem-plain,memdev=peer"
scripts/vm.py -- '/mnt/share/peer /mnt/modules /mnt/share/peer.bar && rmmod peer_dmabuf'
status=$?

# pattern() of pair.py, with LAST of peer.py
last='import sys
sys.stdout.buffer.write(bytes(((i % 251) * 7 + 41) % 251
                              for i in range(2 << 20)))'
echo 1..1
if cmp "$file" <(/usr/bin/python3 -c "$last"); then
	echo 'ok 1 the last write is in the file'
else
	echo 'not ok 1 the last write is in the file'
	[ $status != 0 ] || status=1
fi
rm -f "$file"
exit $status
