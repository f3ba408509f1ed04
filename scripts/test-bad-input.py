#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""The same malformed calls on upstream's stack and on ours: the same errno.

What differs on purpose is in scripts/errno-differs.txt with its reason.
Prints TAP, a line per call.
"""
import os
import subprocess
import sys

import gate

DIFFERS = gate.ROOT / 'scripts' / 'errno-differs.txt'
FOLDER = gate.BUILD / 'testing'
# Fewer than these and something did not run.
AT_LEAST = 239


def answers(stack, kernel):
    """{case: errno} of one stack, the order kept, and the guest's status."""
    done = subprocess.run(
        [sys.executable, '-B', gate.ROOT / 'scripts' / 'vm.py', '--',
         '/mnt/share/bad_input'], check=False, text=True,
        stdout=subprocess.PIPE,
        env={**os.environ, 'STACK': stack, 'KERNEL': kernel, 'CENSUS': '1',
             'SHARE': str(FOLDER), 'TIMEOUT': '200'})
    lines = [line.rpartition(': ') for line in done.stdout.splitlines()]
    print(f'# {stack}: {len(lines)} lines, status {done.returncode}')
    return {case: error for case, _, error in lines
            if case and case != 'objects left'}, done.returncode


def differing():
    """{case: (upstream's errno, ours)} that are meant to differ."""
    found = {}
    for line in DIFFERS.read_text().splitlines():
        if line and not line.startswith('#'):
            case, errors, reason = line.split('\t', 2)
            assert reason.strip(), line
            found[case] = tuple(errors.split())
    return found


def main():
    kernel = sys.argv[1] if len(sys.argv) > 1 else 'test'
    FOLDER.mkdir(parents=True, exist_ok=True)
    made = gate.run('make', '-s', '-C', 'tools/testing/uverbs', f'O={FOLDER}')
    if made.returncode:
        gate.fail('the program does not build:', made.stderr)
    theirs, their_status = answers('upstream', kernel)
    ours, status = answers('ours', kernel)
    meant = differing()
    # a run that broke off, and a row of the list that nothing needs
    failed = 1 if their_status or set(ours) != set(theirs) else 0
    for case in sorted(set(ours) ^ set(theirs) | set(meant) - set(theirs)):
        print(f'# only in one place: {case}')
    for number, (case, error) in enumerate(theirs.items(), 1):
        want = meant.get(case, (error, error))
        good = (error, ours.get(case)) == want
        failed += not good
        print(f'{"ok" if good else "not ok"} {number} {case}')
        if not good:
            print(f'#   upstream {error}, ours {ours.get(case)}')
    failed += len(theirs) < AT_LEAST or bool(set(meant) - set(theirs))
    print(f'{"not ok" if failed else "ok"} {len(theirs) + 1} all of at least '
          f'{AT_LEAST} calls were made on both')
    print(f'1..{len(theirs) + 1}')
    sys.exit(status or (1 if failed else 0))


main()
