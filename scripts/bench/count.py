# SPDX-License-Identifier: GPL-2.0-only
"""Kernel instructions of a program in the guest, counted by tools/kcount."""

import bisect
import collections
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass, field

import gate

STACKS = ('upstream', 'ours')


def build(out):
    """The plugin and the programs that measure."""
    out.mkdir(parents=True, exist_ok=True)
    for folder in ('tools/kcount', 'tools/testing/bench'):
        made = gate.run('make', '-s', '-C', folder, f'O={out}')
        if made.returncode:
            gate.fail(f'{folder} does not build:', made.stderr)


def boot(name, out, program, before='', **settings):
    """Run a program that measures, under the plugin; the guest's output.

    The files are called by the name, which is that of a stack unless the
    settings have another one; before is for the guest's shell.
    """
    env = {'STACK': name, 'KERNEL': 'test', 'SMP': '1', 'ACCEL': 'tcg',
           'CENSUS': '1', 'SHARE': str(out), 'TIMEOUT': '1500', 'MEM': '3G',
           'QEMU_ARGS': f'-plugin {out}/kcount.so,out={out}/{name}.count',
           **settings}
    command = (f'{before}cat /proc/kallsyms > /mnt/share/{name}.kallsyms && '
               f'/mnt/share/{program}')
    done = subprocess.run(
        [sys.executable, '-B', gate.ROOT / 'scripts' / 'vm.py', '--', command],
        check=False, text=True, stdout=subprocess.PIPE,
        env={**os.environ, **env})
    if done.returncode:
        gate.fail(f'{name}: status {done.returncode}',
                  *done.stdout.splitlines()[-10:])
    return done.stdout


@dataclass
class Count:
    """What one stack's run counted: rows, what each window and block took."""
    rows: dict = field(default_factory=dict)        # number: name
    windows: dict = field(default_factory=dict)     # number: [(own, apart)]
    blocks: list = field(default_factory=list)      # (number, address, ...)

    def median(self, row):
        """Instructions of a row: own, apart."""
        return tuple(int(statistics.median(column))
                     for column in zip(*self.windows[row]))


def read(name, out, output):
    """What the plugin wrote, and which row is what."""
    count = Count(windows=collections.defaultdict(list))
    for line in output.splitlines():
        kind, _, rest = line.partition(' ')
        if kind == 'row':
            number, _, row = rest.partition(' ')
            count.rows[int(number)] = row
    with open(out / f'{name}.count', encoding='ascii') as file:
        for line in file:
            kind, *words = line.split()
            if kind == 's':
                row, own, apart = map(int, words)
                count.windows[row].append((own, apart))
            else:
                count.blocks.append((int(words[0]), int(words[1], 16),
                                     int(words[2]), int(words[3])))
    return count


def symbols(stack, out):
    """Sorted addresses, and the functions there."""
    found = []
    with open(out / f'{stack}.kallsyms', encoding='ascii') as file:
        for line in file:
            address, kind, name, *module = line.split()
            if kind in 'tTwW':
                found.append((int(address, 16), ' '.join([name, *module])))
    found.sort()
    return [a for a, _ in found], [name for _, name in found]


def by_function(stack, out, count):
    """Two tables, own and apart: row, function: instructions."""
    addresses, names = symbols(stack, out)
    tables = (collections.defaultdict(collections.Counter),
              collections.defaultdict(collections.Counter))
    for row, address, *taken in count.blocks:
        name = names[bisect.bisect_right(addresses, address) - 1]
        for table, instructions in zip(tables, taken):
            table[row][name] += instructions
    return tables


def write_profile(stack, out, count, tables, apart):
    """Instructions per call by function, the dearest first."""
    with open(out / f'{stack}.profile', 'w', encoding='ascii') as file:
        for row, name in count.rows.items():
            runs = len(count.windows[row])
            for what, table in zip(('', f', {apart}'), tables):
                total = sum(table[row].values())
                if not total:
                    continue
                file.write(f'\n{name}{what}: mean {total / runs:.0f} '
                           f'of {runs} calls\n')
                file.writelines(
                    f'{n / runs:10.1f}  {function}\n'
                    for function, n in table[row].most_common() if n)
