#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""pyverbs.py [--floor] [STACK...] - rdma-core's python tests in the guest

One stack: a line per file, pass, skip, fail, and what failed. Two (upstream
ours): what differs between them on the same model and kernel. The settings
K (a regular expression on "test_cq.CQTest.test_create_cq") and KERNEL come
from the environment.

With --floor each file has to execute as many tests as scripts/pyverbs.floor
says, without a failure; it runs the files listed there. Prints TAP.
"""
import os
import re
import shlex
import subprocess
import sys
from collections import Counter

import gate

FLOOR = gate.ROOT / 'scripts' / 'pyverbs.floor'
STACKS = ('upstream', 'ours', 'rxe')
# some tests are skipped without huge pages
KERNEL_ARGS = 'hugepages=64'
LINE = re.compile(r'(pass|skip|fail) ([\w.]+)(?: # (.*))?$')


def floors():
    """{file: {stack: tests executed at least}}; ours is not the lower one."""
    found = {}
    for line in FLOOR.read_text().splitlines():
        if line and not line.startswith('#'):
            name, *counts = line.split()
            found[name] = {stack: int(number) for stack, number in
                           (count.split('=') for count in counts)}
            if found[name]['ours'] < found[name]['upstream']:
                gate.fail(f'{FLOOR.name}: {name}: ours is below upstream')
    return found


def guest(stack, pattern):
    """{test: (pass|skip|fail, why)} of one stack."""
    kernel = os.environ.get('KERNEL') or 'test'
    folder = gate.BUILD / 'pyverbs'
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / f'{stack}-{kernel}.log'
    found, done = {}, False
    process = subprocess.Popen(
        [sys.executable, '-B', gate.ROOT / 'scripts' / 'vm.py', '--',
         f'pyverbs {shlex.quote(pattern)}'], text=True, errors='replace',
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={**os.environ, 'STACK': stack, 'KERNEL': kernel, 'CENSUS': '1',
             'TIMEOUT': os.environ.get('TIMEOUT') or '1500',
             'KERNEL_ARGS': os.environ.get('KERNEL_ARGS') or KERNEL_ARGS})
    with open(log, 'w', encoding='utf-8') as file:
        for line in process.stdout:
            file.write(line)
            match = LINE.match(line)
            if match:
                found[match[2]] = (match[1], match[3] or '')
            done |= line == 'done\n'
    status = process.wait()
    if not done or status:
        last = log.read_text().splitlines()[-3:]
        found[f'bench.{stack}'] = ('fail', f'status {status}; '
                                   + ' / '.join(last))
    print(f'# {stack}: {len(found)} tests, kernel {kernel}, status {status}, '
          f'log {log.relative_to(gate.ROOT)}', flush=True)
    return found


def by_file(found):
    """{file: Counter of pass, skip, fail}."""
    counts = {}
    for test, (how, _) in found.items():
        counts.setdefault(test.split('.')[0], Counter())[how] += 1
    return counts


def show(found):
    """A table, and what failed; the status."""
    for name, count in by_file(found).items():
        print(f'{name:24} {count["pass"]:4} pass {count["skip"]:4} skip '
              f'{count["fail"]:4} fail')
    failed = [test for test, (how, _) in found.items() if how == 'fail']
    for test in failed:
        print(f'failed: {test}: {found[test][1]}')
    total = Counter(how for how, _ in found.values())
    print(f'{total["pass"]} passed, {total["fail"]} failed, '
          f'{total["skip"]} skipped')
    return 1 if failed or not total['pass'] else 0


def compare(theirs, ours):
    """What differs; fails when ours does not pass what theirs does."""
    worse = sum(test.startswith('bench.') for test in (*theirs, *ours))
    for test in sorted(theirs.keys() | ours.keys()):
        left = theirs.get(test, ('absent', ''))
        right = ours.get(test, ('absent', ''))
        if left[0] == right[0]:
            continue
        worse += left[0] == 'pass' or right[0] == 'fail'
        print(f'{test}: upstream {left[0]}, ours {right[0]} '
              f'{right[1] or left[1]}')
    same = sum(theirs.get(test, ('',))[0] == how
               for test, (how, _) in ours.items())
    print(f'{same} alike, {worse} worse on ours')
    return 1 if worse or not same else 0


def judge(stacks, results, least):
    """TAP: each file of each stack against its floor; the status."""
    number = failed = 0
    for stack, found in zip(stacks, results):
        counts = by_file(found)
        for name in sorted(least.keys() | counts.keys()):
            count = counts.get(name, Counter())
            need = least.get(name, {}).get(stack, 0)
            good = count['pass'] >= need and not count['fail']
            number, failed = number + 1, failed + (not good)
            print(f'{"ok" if good else "not ok"} {number} {stack} {name}: '
                  f'{count["pass"]} passed, {need} needed, '
                  f'{count["fail"]} failed')
        for test, (how, why) in found.items():
            if how == 'fail':
                print(f'# {stack} {test}: {why}')
    print(f'1..{number}')
    return 1 if failed else 0


def main(words):
    """The program."""
    floor = '--floor' in words
    stacks = [word for word in words if word != '--floor'] or ['ours']
    if not set(stacks) <= set(STACKS):
        gate.fail(f'no such stack: {" ".join(stacks)}', __doc__)
    least = floors() if floor else {}
    pattern = rf'^({"|".join(least)})\.' if floor else \
        os.environ.get('K', '')
    results = [guest(stack, pattern) for stack in stacks]
    if floor:
        return judge(stacks, results, least)
    if len(stacks) == 2:
        return compare(*results)
    return show(results[0])


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
