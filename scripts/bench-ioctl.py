#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""bench-ioctl.py [quick] - kernel instructions per ioctl, ours and upstream's

Boots KERNEL=test with upstream's stack and with ours, the same model behind
both, under a plugin of QEMU that counts the instructions of the calling
thread in the kernel. Prints a table; the profile of each call by function is
in build/bench-ioctl. See Documentation/performance.rst. The status is 1 when
the targets are missed.
"""
import re
import sys
from dataclasses import dataclass, field

import gate
from bench import count as counting

OUT = gate.BUILD / 'bench-ioctl'
STACKS = counting.STACKS

RATIO = 0.8             # of upstream's instructions, at most
MAY_MISS = 1            # rows
# The dearest of a series, of the cheapest: 64 times as many handles are one
# level of the array more, of which a million have three.
FLAT = 1.15
POINTS = 2              # of a series, at least: 1, 10, ... handles
# the system calls that are not ours: shown, not judged
NOT_OURS = ('getppid', 'unknown ioctl')
NULL = (50, 2000)       # what getppid costs, or the count is wrong
# calls that make nothing have no need for memory; what they would call for it
MAKES_NOTHING = re.compile('refused|QUERY|.*(dealloc|destroy)$')
ALLOCATES = re.compile('_*((k[vz]*|v)malloc_|kmem_cache_alloc_|alloc_pages_|'
                       'get_free_pages|alloc_percpu)')
SELDOM = 5              # instructions per call: another call's share


@dataclass
class Tier:
    """How much is measured: calls of each kind, handles at the end."""
    runs: int
    live: dict


TIERS = {'quick': Tier(50, {'upstream': 0, 'ours': 1000}),
         'full': Tier(1000, {'upstream': 1000000, 'ours': 1000000})}


@dataclass
class Count:
    """What one stack's run counted."""
    own: dict = field(default_factory=dict)         # name: median
    firmware: dict = field(default_factory=dict)    # name: median
    memory: dict = field(default_factory=dict)      # handles: bytes
    allocates: dict = field(default_factory=dict)   # name: functions


def boot(stack, tier):
    """The guest's output, or the end."""
    return counting.boot(stack, OUT,
                         f'ioctl_cost {tier.runs} {tier.live[stack]}')


def read(stack, output):
    """What one stack's run counted; its profile goes to a file."""
    raw = counting.read(stack, OUT, output)
    count = Count()
    for line in output.splitlines():
        kind, _, rest = line.partition(' ')
        if kind == 'memory':
            handles, size = map(int, rest.split())
            count.memory[handles] = size
    tables = counting.by_function(stack, OUT, raw)
    counting.write_profile(stack, OUT, raw, tables, 'firmware')
    for row, name in raw.rows.items():
        count.own[name], count.firmware[name] = raw.median(row)
        count.allocates[name] = [
            function for function, n in tables[0][row].items()
            if ALLOCATES.match(function)
            and n > SELDOM * len(raw.windows[row])]
    return count


def check_null(stack, count):
    """A getppid that costs nothing: the thread was not found."""
    if not NULL[0] <= count.own['getppid'] <= NULL[1]:
        gate.fail(f'{stack}: getppid takes {count.own["getppid"]} '
                  'instructions: the count is wrong')


def print_calls(counts):
    """The table; the rows that miss the target, refused calls as one."""
    missed = set()
    theirs, ours = counts['upstream'], counts['ours']
    print(f'{"call":26}{"upstream":>9}{"ours":>9}{"ratio":>7}  '
          f'{"verdict":8}{"firmware: upstream":>19}{"ours":>7}')
    for name in theirs.own:
        if ' live' in name:
            continue
        ratio = ours.own[name] / theirs.own[name]
        verdict = 'ok' if ratio <= RATIO else 'MISSED'
        if name in NOT_OURS:
            verdict = '-'
        elif ratio > RATIO:
            missed.add(name.partition(':')[0])
        print(f'{name:26}{theirs.own[name]:9}{ours.own[name]:9}{ratio:7.2f}  '
              f'{verdict:8}{theirs.firmware[name] or "-":>19}'
              f'{ours.firmware[name] or "-":>7}')
    return missed


def check_allocations(count):
    """Does a call that makes nothing of ours ask for memory?"""
    rows = {name: functions for name, functions in count.allocates.items()
            if MAKES_NOTHING.match(name)}
    guilty = {name: functions for name, functions in rows.items() if functions}
    for name, functions in guilty.items():
        print(f'ours: {name} allocates: {", ".join(functions)}')
    if not guilty:
        print(f'ours: no allocation in {", ".join(rows)}')
    return bool(rows) and not guilty


def print_series(stack, count):
    """The cost of one more address handle; is it flat?"""
    flat = []
    series = {}
    for name, own in count.own.items():
        call, comma, live = name.partition(', ')
        if comma:
            series.setdefault(call, {})[int(live.split()[0])] = own
    for call, costs in series.items():
        dear, cheap = max(costs.values()), min(costs.values())
        flat.append(len(costs) >= POINTS and dear <= FLAT * cheap)
        print(f'{stack}: {call} with so many live: '
              + ', '.join(f'{n}: {own}' for n, own in costs.items()))
    for handles, size in count.memory.items():
        if handles >= 1000:
            print(f'{stack}: memory per address handle of {handles}: '
                  f'{size / handles:.0f} bytes')
    return bool(flat) and all(flat)


def main():
    words = sys.argv[1:] or ['full']
    if len(words) > 1 or words[0] not in TIERS:
        gate.fail('which tier?', __doc__)
    tier = TIERS[words[0]]
    counting.build(OUT)
    counts = {}
    for stack in STACKS:
        counts[stack] = read(stack, boot(stack, tier))
        check_null(stack, counts[stack])
    print(f'kernel instructions of the calling thread, median of {tier.runs}')
    missed = print_calls(counts)
    frugal = check_allocations(counts['ours'])
    flat = [print_series(stack, counts[stack]) for stack in STACKS][-1]
    if missed:
        print(f'more than {RATIO} of upstream: {", ".join(sorted(missed))} '
              f'({MAY_MISS} may be)')
    if not flat:
        print(f'not flat: the cost grows by more than {FLAT}')
    sys.exit(0 if flat and frugal and len(missed) <= MAY_MISS else 1)


if __name__ == '__main__':
    main()
