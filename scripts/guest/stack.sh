#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# stack.sh load|unload - the RDMA stack that STACK names, by path
. /mnt/run/env

load_ours() {
	# shellcheck disable=SC2086 # none or several words
	insmod /mnt/modules/drivers/core/ib_core.ko ${CORE_OPTIONS:-} &&
		insmod /mnt/modules/drivers/uverbs/ib_uverbs.ko &&
		insmod /mnt/modules/drivers/connectx/connectx.ko \
			${CONNECTX_OPTIONS:-}
}

unload_ours() {
	rmmod connectx && rmmod ib_uverbs && rmmod ib_core
}

load_upstream() {
	modprobe mlx5_core && modprobe mlx5_ib && modprobe ib_uverbs
}

unload_upstream() {
	modprobe -r mlx5_ib && modprobe -r mlx5_core && modprobe -r ib_uverbs
}

# rxe wants a network device with an address, a dummy one talks to itself;
# and a checksum that the kernel would look for by itself.
load_rxe() {
	modprobe -q crc32_generic
	modprobe dummy && modprobe ib_uverbs && modprobe rdma_rxe || return
	ip link add rxe-net type dummy
	ip address add 192.0.2.1/24 dev rxe-net
	ip link set rxe-net up
	rdma link add rxe0 type rxe netdev rxe-net
}

unload_rxe() {
	rdma link delete rxe0
	ip link delete rxe-net
	modprobe -r rdma_rxe && modprobe -r ib_uverbs
}

load_none() { :; }
unload_none() { :; }

# ports_active N - wait until N ports are; a slow link is not an error here
ports_active() {
	tries=0
	while [ $tries -lt 50 ]; do
		up=$(cat /sys/class/infiniband/*/ports/*/state 2> /dev/null |
			grep -c ACTIVE)
		[ "$up" -lt "$1" ] || return 0
		sleep 0.1
		tries=$((tries + 1))
	done
	echo "only $up of $1 ports are active" > /dev/kmsg
}

# Two scans: the first may find what is only just no longer referred to.
leak_report() {
	leaks=/sys/kernel/debug/kmemleak
	[ -e $leaks ] || return 0
	sleep 6
	echo scan > $leaks
	sleep 1
	echo scan > $leaks
	cat $leaks > /mnt/run/leaks
}

case $1 in
load)
	load_"$STACK" && ports_active "$HCAS"
	;;
unload)
	unload_"$STACK" || exit
	[ "$STACK" = none ] || [ "${LEAKS:-yes}" = no ] || leak_report
	;;
esac
