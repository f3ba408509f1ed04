# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: GPL-2.0-only
#
# lib.sh - what the set-up scripts share: the cache and its names
#
# A thing in the cache is a folder NAME-VERSION-HASH. HASH is over the inputs
# that decide its content (fragments, lists, recipes), so two clones that
# differ in them do not disturb each other. The file .ready in it is written
# last; a folder without it is not used.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
ROOT=$PWD
CACHE=${VERBENA_CACHE:-$HOME/.cache/verbena}
SERIES=6.12

die() {
	printf 'verbena: %s\n' "$1" >&2
	shift
	[ $# -eq 0 ] || printf '  %s\n' "$@" >&2
	exit 1
}

# hash_of TEXT [FILE...] - the part of a cache name that stands for its inputs
hash_of() {
	local text=$1
	shift
	{ printf '%s\n' "$text"; [ $# -eq 0 ] || cat -- "$@"; } |
		sha256sum | cut -c1-8
}

# cached NAME HASH - print the newest ready folder of that name
cached() {
	local dir newest=
	for dir in "$CACHE/$1"-*-"$2"; do
		[ -e "$dir/.ready" ] || continue
		[ -z "$newest" ] || [ "$dir/.ready" -nt "$newest/.ready" ] ||
			continue
		newest=$dir
	done
	[ -n "$newest" ] && printf '%s\n' "$newest"
}
