#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# host.sh - the Debian packages that the bench needs on this machine
set -euo pipefail
. "$(dirname "$0")/../lib.sh"

list=scripts/setup/host.packages

name() { echo host; }
hash() { hash_of packages "$list"; }
about() { echo "packages of this machine"; }
need_mb() { echo 600; }

missing() {
	local package status
	sed '/^#/d' "$list" | while read -r package; do
		status=$(dpkg-query -W -f '${db:Status-Status}' "$package" \
			2>/dev/null || true)
		[ "$status" = installed ] || echo "$package"
	done
}

# The machine may have lost a package since, so look, whatever the cache says.
ready() { [ -z "$(missing)" ]; }

build() {
	local packages
	mapfile -t packages < <(missing)
	if [ ${#packages[@]} -gt 0 ]; then
		[ "$(id -u)" = 0 ] ||
			die "packages are missing on this machine" \
				"run: sudo apt-get install -y ${packages[*]}" \
				"then run this again"
		export DEBIAN_FRONTEND=noninteractive
		apt-get -q update || true
		apt-get -q -y --no-install-recommends install "${packages[@]}" ||
			die "apt-get could not install: ${packages[*]}" \
				"see what apt says above; then run this again"
	fi
	echo 1 > "$1/version"
}

"$@"
