#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# source.sh - the kernel's source, of the newest point release
set -euo pipefail
. "$(dirname "$0")/../lib.sh"
. scripts/setup/apt.sh

name() { echo source; }
hash() { hash_of "linux-$SERIES $VERSION_CODENAME"; }
about() { echo "source of Linux $SERIES (150 MB download)"; }
need_mb() { echo 2500; }

build() {
	local out=$1 work=$1/work
	local package=linux-source-$SERIES

	apt_open "$work" "$VERSION_CODENAME"{,-security,-backports}
	apt_unpack "$work/root" "$package"
	tar -xf "$work/root/usr/src/$package.tar.xz" -C "$out" \
		--strip-components=1
	apt-cache show --no-all-versions "$package" |
		sed -n 's/^Version: \([^~]*\).*/\1/p' | head -1 > "$out/version"
	rm -rf "$work"
}

"$@"
