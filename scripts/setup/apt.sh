# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# apt.sh - a private apt: packages of any suite, without changing the host
#
# The mirror is the one that the machine already uses: its URI is read from
# the system's own apt sources, in either format, and kept nowhere else.

. /etc/os-release

# system_sources - print "uri suite keyring" of each binary source
system_sources() {
	local dir=/etc/apt/sources.list.d
	cat /dev/null "$dir"/*.sources 2>/dev/null | awk '
		function flush(  i, j, u, s) {
			if (types ~ /(^| )deb( |$)/ && enabled != "no")
				for (i = split(uris, u, " "); i > 0; i--)
					for (j = split(suites, s, " "); j > 0; j--)
						print u[i], s[j], key
			types = uris = suites = key = enabled = ""
		}
		/^#/ { next }
		/^[[:space:]]*$/ { flush(); next }
		{ name = tolower($1); $1 = ""; sub(/^ /, "") }
		name == "types:" { types = $0 }
		name == "uris:" { uris = $0 }
		name == "suites:" { suites = $0 }
		name == "signed-by:" { key = $0 }
		name == "enabled:" { enabled = tolower($0) }
		END { flush() }'
	cat /dev/null /etc/apt/sources.list "$dir"/*.list 2>/dev/null | awk '
		$1 != "deb" { next }
		{
			key = ""
			if (match($0, /signed-by=[^] ]*/))
				key = substr($0, RSTART + 10, RLENGTH - 10)
			sub(/\[[^]]*\]/, "")
			print $2, $3, key
		}'
}

# archive_key KEYRING - the keyring to check a source with
archive_key() {
	local key
	for key in "$1" /usr/share/keyrings/debian-archive-keyring.gpg \
		/usr/share/keyrings/debian-archive-keyring.pgp; do
		[ ! -f "$key" ] || { echo "$key"; return; }
	done
	die "Debian's archive keyring is not installed" \
		"run as root: apt-get install -y debian-archive-keyring"
}

# mirror SUITE - print "uri keyring" of the system's source for a suite; a
# suite that the system does not list is looked for beside its own release
mirror() {
	local uri suite key want=$1

	case $want in
	*-security) want=$VERSION_CODENAME-security ;;
	*) want=$VERSION_CODENAME ;;
	esac
	while read -r uri suite key; do
		[ "${suite%/}" = "$want" ] || continue
		case $uri in http*|mirror*|file:*|copy:*) ;; *) continue ;; esac
		echo "$uri $(archive_key "$key")"
		return
	done < <(system_sources)
	return 1
}

# apt_open DIR SUITE... - set up apt's state in DIR and read the suites' lists
apt_open() {
	local dir=$1 suite where
	shift

	mkdir -p "$dir"/{state/lists/partial,cache/archives/partial,parts}
	: > "$dir/status"
	: > "$dir/sources.list"
	for suite; do
		if ! where=$(mirror "$suite"); then
			case $suite in *-security) continue ;; esac
			die "no Debian source for $VERSION_CODENAME in /etc/apt" \
				"add one to /etc/apt/sources.list.d, then run this again"
		fi
		echo "deb [signed-by=${where#* }] ${where%% *} $suite main"
	done > "$dir/sources.list"
	cat > "$dir/apt.conf" <<-EOF
	Dir::State "$dir/state"; Dir::State::status "$dir/status";
	Dir::Cache "$dir/cache"; Dir::Etc::sourcelist "$dir/sources.list";
	Dir::Etc::sourceparts "$dir/parts"; Dir::Etc::preferencesparts "$dir/parts";
	APT::Install-Recommends "false"; APT::Architecture "amd64";
	APT::Sandbox::User "root"; Acquire::Languages "none"; Acquire::Retries "3";
	APT::Update::Error-Mode "any";
	EOF
	export APT_CONFIG=$dir/apt.conf
	apt-get -qq update ||
		die "apt could not read the package lists" \
			"check the network and 'apt-get update', then run this again"
}

# apt_unpack DIR PACKAGE... - download packages and unpack them in DIR
apt_unpack() {
	local dir=$1 deb debs
	shift

	mkdir -p "$dir"
	debs=$(mktemp -d "$dir/debs.XXXXXX")
	(cd "$debs" && apt-get -qq download "$@") ||
		die "apt could not download: $*" \
			"check the network, then run this again"
	for deb in "$debs"/*.deb; do
		dpkg-deb -x "$deb" "$dir"
	done
	rm -rf "$debs"
}
