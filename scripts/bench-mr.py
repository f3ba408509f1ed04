#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""bench-mr.py [quick|full [MIB...]] - what it costs to register memory

Boots KERNEL=test with upstream's stack and with ours, the same model behind
both, under a plugin of QEMU that counts the instructions of the calling
thread in the kernel: to register and deregister, and to pin and unpin the
same memory by itself. Prints a table and the verdict; build/bench-mr has
them, too, with bars and the profile of each row by function. MEM is the
guest's memory, 3G if not set. See Documentation/performance.rst. The status is
1 when the targets are missed.
"""
import os
import statistics
import sys
from dataclasses import dataclass, field

import gate
from bench import count as counting

OUT = gate.BUILD / 'bench-mr'

MIB = 1 << 20
PAGE = 4096
OF_UPSTREAM = 0.7       # of upstream's instructions, at most
OF_PINNING = 1.25       # of those for pinning alone, for large memory
LARGE = 64 * MIB
MAY_MISS = 2            # sizes against upstream, cells against pinning
SCALE = 1.7             # two threads do so much more than one
PAGE_BYTES = 10         # of the kernel's memory for a registered page
IOMMU_OF_UPSTREAM = 0.5     # of its memory, behind an IOMMU
BY_TWO = 0.75           # of the caller's instructions, with two that pin
# an entry of the translation holds so much at least, of memory of a kind
ENTRY = {'4k': PAGE, 'thp': 2 * MIB, 'hugetlb': 2 * MIB}
BAR = 24                # characters for a ratio of 1
POOL = 'pool'           # ours, with free keys kept
WITH_POOL = ('stack.sh unload && '
             'CONNECTX_OPTIONS=mkey_pool=64 stack.sh load && ')
IOMMU = {'QEMU_ARGS': '-device intel-iommu,caching-mode=on',
         'KERNEL_ARGS': 'intel_iommu=on', 'SMP': '2', 'MEM': '3G'}

# runs of the smallest size, and the sizes in MiB besides 4 KiB
TIERS = {'quick': (30, (1, 64)), 'full': (250, (1, 64, 1024, 8192))}


@dataclass
class Cell:
    """What one stack takes for memory of one kind and size."""
    cold: int = 0           # to register for the first time, and deregister
    warm: int = 0           # to register and deregister, median
    pins: int = 0           # pinning's share of that
    together: int = 0       # the same, while another thread does so
    by_two: int = 0         # the same, while two threads of the kernel pin
    raw: int = 0            # to pin and unpin
    entries: int = 0


@dataclass
class Result:
    """What one stack's run said."""
    cells: dict = field(default_factory=dict)       # (kind, bytes): Cell
    memory: dict = field(default_factory=dict)      # kind: bytes per page
    left_out: list = field(default_factory=list)
    notes: list = field(default_factory=list)       # for the curious


def both(windows):
    """Medians of the sum of own and apart, and of apart."""
    return (int(statistics.median(own + apart for own, apart in windows)),
            int(statistics.median(apart for _, apart in windows)))


def take_row(cell, op, windows):
    """Add a row of the program to its cell."""
    total, apart = both(windows)
    if op == 'pin':
        cell.raw = apart
    elif op.endswith('by2'):
        cell.by_two += total
    elif op.endswith('2'):
        cell.together += total
    else:
        cell.warm += total
        cell.pins += apart
        cell.cold += sum(windows[0]) if op == 'reg' else total


def take_line(result, kind, words):
    """What the program says of itself."""
    if kind == 'memory':
        result.memory[words[0]] = int(words[2]) / int(words[1])
    elif kind == 'list':
        cell = result.cells[words[0], int(words[1])]
        cell.entries = int(words[2])
    elif kind == 'left':
        result.left_out.append(f'{words[1]}, {size(int(words[2]))}: left out, '
                               'the guest has not so much memory (MEM=)')
    elif kind in ('time', 'sleeps'):
        result.notes.append(
            f'{kind}, {words[0]}, {size(int(words[1]))}: '
            f'{words[2]} alone, {words[3]} with another thread')


def read(stack, output):
    """What one stack's run counted; its profile goes to a file."""
    raw = counting.read(stack, OUT, output)
    counting.write_profile(stack, OUT, raw,
                           counting.by_function(stack, OUT, raw), 'pinning')
    result = Result()
    for row, name in raw.rows.items():
        kind, length, op = name.split()
        cell = result.cells.setdefault((kind, int(length)), Cell())
        take_row(cell, op, raw.windows[row])
    for line in output.splitlines():
        kind, *words = line.split() or ['']
        take_line(result, kind, words)
    return result


def size(length):
    """A number of bytes, for people."""
    for unit, name in ((1 << 30, 'GiB'), (MIB, 'MiB')):
        if length >= unit:
            return f'{length // unit} {name}'
    return f'{length // 1024} KiB'


class Report:
    """Lines for people, which also go to a file, and what was missed."""

    def __init__(self):
        self.lines = []
        self.cells = set()      # that missed a ratio
        self.missed = []        # everything else

    def say(self, line=''):
        """A line, to both."""
        self.lines.append(line)
        print(line, flush=True)

    def write(self, path):
        """All of it."""
        path.write_text('\n'.join(self.lines) + '\n', encoding='ascii')


def judge(length, ours, theirs):
    """The ratios of a cell, and is each good enough?"""
    of_upstream = ours.warm / theirs.warm
    of_pinning = ours.warm / ours.raw
    good = (of_upstream <= OF_UPSTREAM,
            length < LARGE or of_pinning <= OF_PINNING)
    return of_upstream, of_pinning, good


def print_costs(report, ours, theirs):
    """The table: registration and deregistration together."""
    report.say(f'{"memory":16}{"pin+unpin":>12}{"upstream, cold":>16}'
               f'{"warm":>12}{"ours":>12}{"pins":>12}'
               f'{"of upstream":>12}{"of pinning":>12}')
    for (kind, length), our in ours.cells.items():
        their = theirs.cells[kind, length]
        of_upstream, of_pinning, good = judge(length, our, their)
        name = f'{kind}, {size(length)}'
        report.say(f'{name:16}{our.raw:12}{their.cold:16}{their.warm:12}'
                   f'{our.warm:12}{our.pins:12}{of_upstream:11.2f}'
                   f'{" " if good[0] else "!"}{of_pinning:11.2f}'
                   f'{" " if good[1] else "!"}')
        # the kinds of memory do not differ in what a size costs by itself
        if not good[0]:
            report.cells.add(f'{size(length)}, of upstream')
        if not good[1]:
            report.cells.add(f'{name}, of pinning')


def print_threads(report, stack, result):
    """How much more do two threads get done than one?"""
    for (kind, length), cell in result.cells.items():
        if not cell.together:
            continue
        scale = 2 * cell.warm / cell.together
        good = scale >= SCALE or stack != 'ours'
        report.say(f'{stack}: two threads, {kind}, {size(length)}: '
                   f'{scale:.2f} times as much as one{"" if good else " !"}')
        if not good:
            report.missed.append(f'two threads, {kind}, {size(length)}')
    for (kind, length), cell in result.cells.items():
        if not cell.by_two:
            continue
        share = cell.by_two / cell.warm
        # pinning in huge pages takes less than what is around it
        good = share <= BY_TWO or kind != '4k'
        report.say(f'{stack}: pinned by two processors, {kind}, '
                   f'{size(length)}: the caller takes {share:.2f} of what he '
                   f'takes alone{"" if good else " !"}')
        if not good:
            report.missed.append(f'pinned by two, {kind}, {size(length)}')


def print_memory(report, stack, result):
    """The kernel's memory for a page, the adapter's entries."""
    for kind, taken in result.memory.items():
        good = taken <= PAGE_BYTES or stack != 'ours'
        report.say(f'{stack}: memory of the kernel for a page of {kind}: '
                   f'{taken:.2f} bytes{"" if good else " !"}')
        if not good:
            report.missed.append(f'memory for a page of {kind}')
    for (kind, length), cell in result.cells.items():
        good = stack != 'ours' or 0 < cell.entries <= max(
            length // ENTRY[kind], 1)
        report.say(f'{stack}: entries for {kind}, {size(length)}: '
                   f'{cell.entries}{"" if good else " !"}')
        if not good:
            report.missed.append(f'entries for {kind}, {size(length)}')


def print_iommu(report, memory):
    """The kernel's memory for a page, where an IOMMU maps it."""
    for kind, taken in memory['ours'].items():
        ratio = taken / memory['upstream'][kind]
        # of huge pages there is next to nothing, and the rest is noise
        good = ratio <= IOMMU_OF_UPSTREAM or kind != '4k'
        report.say(f'IOMMU: memory of the kernel for a page of {kind}: '
                   f'upstream {memory["upstream"][kind]:.2f} bytes, ours '
                   f'{taken:.2f}, {ratio:.2f}{"" if good else " !"}')
        if not good:
            report.missed.append(f'memory for a page of {kind} with an IOMMU')


def print_pool(report, ours, pool):
    """What it saves to keep free keys."""
    for (kind, length), cell in pool.cells.items():
        with_out = ours.cells[kind, length].warm
        report.say(f'pool of keys: {kind}, {size(length)}: {cell.warm}, '
                   f'{cell.warm / with_out:.2f} of what it is without')


def write_bars(ours, theirs):
    """A picture of the table."""
    lines = ['instructions to register and deregister, of those to pin and '
             'unpin alone', '']
    for (kind, length), our in ours.cells.items():
        if length < MIB:
            continue
        for name, cell in (('ours', our), ('upstream',
                                           theirs.cells[kind, length])):
            ratio = cell.warm / our.raw
            lines.append(f'{kind:8}{size(length):>8}  {name:9}'
                         f'{"#" * min(round(ratio * BAR), 150)} {ratio:.2f}')
        lines.append('')
    (OUT / 'bars.txt').write_text('\n'.join(lines), encoding='ascii')


def print_verdict(report):
    """The end; the status."""
    for name in sorted(report.cells):
        report.say(f'missed: {name} ({MAY_MISS} may be)')
    for what in report.missed:
        report.say(f'missed: {what}')
    good = len(report.cells) <= MAY_MISS and not report.missed
    report.say('the targets are met' if good else 'the targets are missed')
    return 0 if good else 1


def measure(name, program):
    """Boot a stack, or ours with the pool, and read what it counts."""
    settings = {'SMP': '2', 'MEM': os.environ.get('MEM') or '3G',
                'MODEL_ARGS': '--profile full'}
    before = ''
    if name == POOL:
        before, settings['STACK'] = WITH_POOL, 'ours'
    return read(name, counting.boot(name, OUT, program, before, **settings))


def measure_iommu():
    """{stack: {kind: bytes per page}}, behind an IOMMU."""
    memory = {}
    for stack in counting.STACKS:
        result = Result()
        output = counting.boot(f'{stack}-iommu', OUT, 'mr_cost memory',
                               STACK=stack, MODEL_ARGS='--profile full',
                               **IOMMU)
        for line in output.splitlines():
            kind, *words = line.split() or ['']
            take_line(result, kind, words)
        memory[stack] = result.memory
    return memory


def report_on(results, iommu):
    """The table, the verdict; all in files, too. The status."""
    report = Report()
    report.say('kernel instructions of the calling thread, medians; '
               'a ! is beyond the target')
    print_costs(report, results['ours'], results['upstream'])
    if POOL in results:
        print_pool(report, results['ours'], results[POOL])
    for stack, result in results.items():
        print_threads(report, stack, result)
        print_memory(report, stack, result)
        for text in result.left_out:
            report.say(f'{stack}: {text}')
    if iommu:
        print_iommu(report, iommu)
    write_bars(results['ours'], results['upstream'])
    status = print_verdict(report)
    report.write(OUT / 'table.txt')
    (OUT / 'times.txt').write_text(
        '\n'.join(f'{stack}: {note}' for stack, result in results.items()
                  for note in result.notes) + '\n', encoding='ascii')
    return status


def main():
    words = sys.argv[1:] or ['full']
    if words[0] not in TIERS or not all(map(str.isdigit, words[1:])):
        gate.fail('which tier, which sizes?', __doc__)
    runs, sizes = TIERS[words[0]]
    counting.build(OUT)
    program = f'mr_cost {runs} {" ".join(words[1:] or map(str, sizes))}'
    full = words[0] == 'full'
    results = {name: measure(name, program)
               for name in (*counting.STACKS, *([POOL] if full else []))}
    sys.exit(report_on(results, measure_iommu() if full else None))


if __name__ == '__main__':
    main()
