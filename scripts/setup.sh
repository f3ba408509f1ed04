#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# setup.sh STEP... - bring each step's result into the cache, if not there
#
# Steps: host qemu guest source kernel-stock kernel-test kernel-debug.
# Each is a script in setup/ that answers name, hash, about, need_mb, and
# build DIR; it knows nothing of locks, progress and interruption, which are
# handled here. UPDATE=1 looks for newer versions of what is already there.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

job=			# process group of the running build
trap 'stop_job; exit 130' INT TERM

stop_job() {
	[ -z "$job" ] || kill -- "-$job" 2>/dev/null || true
	job=
}

# script_of STEP - set $script, and $KERNEL for it
script_of() {
	case $1 in
	kernel-stock) script=scripts/setup/stock.sh ;;
	kernel-test|kernel-debug) script=scripts/setup/kernel.sh ;;
	host|qemu|guest|source) script=scripts/setup/$1.sh ;;
	*) die "no such set-up step: $1" ;;
	esac
	export KERNEL=${1#kernel-}
}

has() { grep -q "^$1()" "$script"; }

is_ready() {
	script_of "$1"
	if has ready; then
		"$script" ready
	else
		# a kernel's key names its source, which is looked for anew
		{ [ -z "${UPDATE:-}" ] || has keep; } &&
			cached "$("$script" name)" "$("$script" hash)" > /dev/null
	fi
}

check_space() {
	local need free
	need=$("$script" need_mb)
	free=$(df -Pm "$CACHE" | awk 'NR == 2 { print $4 }')
	[ "$free" -ge "$need" ] ||
		die "$CACHE has $free MB free, this step needs $need MB" \
			"free some space, or set VERBENA_CACHE to another folder"
}

progress() {
	local text
	text=$(printf 'step %d/%d  %s  %d s' "$number" "$total" \
		"$("$script" about)" "$((SECONDS - start))")
	if [ -t 1 ]; then
		printf '\r\033[K%s%s' "$text" "${1:-}"
	else
		printf '%s%s' "$text" "${1:-}"
	fi
}

# watch LOG - wait for the job, showing that it is alive
watch() {
	local tick=30 end=$'\n'
	if [ -t 1 ]; then
		tick=1 end=
	fi
	while kill -0 "$job" 2>/dev/null; do
		[ $(((SECONDS - start) % tick)) != 0 ] ||
			progress "$end"
		sleep 1
	done
	wait "$job"
}

publish() {
	local part=$1 version to

	version=$(cat "$part/version")
	to=$CACHE/$("$script" name)-$version-$("$script" hash)
	touch "$part/.ready"
	rm -rf "$to.old"
	[ ! -e "$to" ] || mv -T "$to" "$to.old"
	mv -T "$part" "$to"
	rm -rf "$to.old"
}

run_step() {
	local name hash part log
	script_of "$1"
	name=$("$script" name)
	hash=$("$script" hash)
	part=$CACHE/$name-$hash.part
	log=$CACHE/log/$name.log
	start=$SECONDS

	check_space
	has keep || rm -rf "$part"
	mkdir -p "$part"
	set -m		# the build gets a process group of its own
	"$script" build "$part" > "$log" 2>&1 < /dev/null &
	job=$!
	set +m
	if watch; then
		job=
		publish "$part"
		progress $'  done\n'
		return
	fi
	job=
	progress $'  FAILED\n'
	tail -n 15 "$log" | sed 's/^/  | /' >&2
	die "set-up step '$1' failed; the whole log is $log" \
		"when its cause is gone, run the same command again:" \
		"what is done is kept"
}

todo=()
for step; do
	is_ready "$step" || todo+=("$step")
done
[ ${#todo[@]} -gt 0 ] || exit 0

mkdir -p "$CACHE/log" "$CACHE/lock" 2>/dev/null ||
	die "cannot write in $CACHE" \
		"make it yours, or set VERBENA_CACHE to another folder"
number=0
total=${#todo[@]}
for step in "${todo[@]}"; do
	number=$((number + 1))
	exec 9> "$CACHE/lock/$step"
	if ! flock -n 9; then
		echo "step $number/$total  another run is doing it; waiting"
		flock 9
	fi
	is_ready "$step" || run_step "$step"
	exec 9>&-
done
