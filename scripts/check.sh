#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# check.sh [GATE...] - the static gates, a line for each
#
# The lines are TAP, the problems follow a gate's line. What a gate looks at
# is in its own script.
set -uo pipefail
. "$(dirname "$0")/lib.sh"

# name and command
gates='
includes          scripts/check-includes.py
copied            scripts/check-copied.py
copied-self-test  scripts/check-copied.py --self-test
prm               scripts/check-prm.py
prm-self-test     scripts/check-prm.py --self-test
spdx              scripts/check-style.py spdx
sizes             scripts/check-style.py sizes
commits           scripts/check-style.py commits
python            scripts/check-style.py python
shell             scripts/check-style.py shell
kernel-doc        scripts/check-style.py kernel-doc
checkpatch        scripts/check-style.py checkpatch
rst               scripts/check-rst.py
rst-self-test     scripts/check-rst.py --self-test
refusals          scripts/check-refusals.py
refusals-self-test scripts/check-refusals.py --self-test
reasons           scripts/check-reasons.py
reasons-self-test scripts/check-reasons.py --self-test
why-names         scripts/check-why-names.py
mutants           scripts/mutants.py --apply
mutants-self-test scripts/mutants.py --self-test
build             scripts/check-build.sh
'

for name; do
	grep -q "^$name " <<< "$gates" ||
		die "no such gate: $name" "they are:" \
			"$(awk 'NF { printf "%s ", $1 }' <<< "$gates")"
done

failed=0 number=0
while read -r name command; do
	[ -n "$name" ] || continue
	[ $# -eq 0 ] || grep -qw -- "$name" <<< "$*" || continue
	number=$((number + 1))
	# shellcheck disable=SC2086 # a command with its words
	if output=$($command 2>&1 < /dev/null); then
		printf 'ok %d %s # %s\n' $number "$name" "${output##*$'\n'}"
	else
		failed=$((failed + 1))
		printf 'not ok %d %s # %d lines\n' $number "$name" \
			"$(wc -l <<< "$output")"
		printf '%s\n' "$output" | sed 's/^/#   /'
	fi
done <<< "$gates"
echo "1..$number"
[ $failed = 0 ]
