#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""abidiff.py CALLS SEED - the same calls on upstream's stack and on ours

Runs tools/testing/uverbs/abidiff on both and compares the logs line by line:
errno, attributes marked as written, bytes written. What is meant to differ is
in scripts/abidiff-intended.txt, methods that one side lacks are in
scripts/abidiff-absent.txt. Prints TAP, a case per method; the last line
counts the calls and the differences.

abidiff.py --compare LOG LOG - compare two logs, upstream's first
"""
import collections
import dataclasses
import os
import subprocess
import sys

import gate

INTENDED = gate.ROOT / 'scripts' / 'abidiff-intended.txt'
ABSENT = gate.ROOT / 'scripts' / 'abidiff-absent.txt'
FOLDER = gate.BUILD / 'testing'
# What a device says that does not have a method or a command.
REFUSALS = ('EPROTONOSUPPORT', 'EOPNOTSUPP')
# From so many calls on, an intended difference that does not occur is stale.
MANY = 100000


@dataclasses.dataclass(frozen=True)
class Call:
    """A line of a log."""
    number: str
    route: str
    object: str
    method: str
    target: str
    op: str
    reached: str
    error: str
    valid: str
    outputs: str

    @property
    def asked(self):
        """What was sent, without what came of it."""
        return dataclasses.astuple(self)[:7]

    @property
    def result(self):
        """What came of it."""
        return self.error, self.valid, self.outputs


def read_log(path):
    """The calls of a log."""
    with open(path, encoding='ascii') as log:
        for line in log:
            yield Call(*line.split())


def rows(path, count):
    """Rows of a table: columns between tabs, the last one is the reason."""
    for line in path.read_text().splitlines():
        if line and not line.startswith('#'):
            row = line.split('\t')
            if len(row) != count or not row[-1].strip() or '*' in line:
                gate.fail(f'{path.name}: not {count} columns: {line}')
            yield row


class Expected:
    """What may differ, and how often each of it did."""

    def __init__(self):
        self.intended = {}
        for obj, method, target, errors, _ in rows(INTENDED, 5):
            self.intended[(obj, method, target, *errors.split())] = 0
        self.absent = {(side, method): 0
                       for side, method, _ in rows(ABSENT, 3)}
        self.present = []

    def is_absent(self, theirs, ours):
        """Does the call name a method that one side lacks?"""
        method = theirs.method if theirs.reached == '-' else theirs.reached
        for side, call in (('upstream', theirs), ('ours', ours)):
            if (side, method) not in self.absent:
                continue
            self.absent[(side, method)] += 1
            if call.error in REFUSALS:
                return True
            # write() counts the words of what it does not know as 4 bytes
            if (call.route, call.error, method[:3]) == ('write', 'EINVAL',
                                                        'EX_'):
                return True
            if call.error == '0':
                self.present.append((side, method))
        return False

    def is_intended(self, theirs, ours):
        """Is it in the list? With its op, or for all ops of the target."""
        errors = (theirs.error, ours.error)
        if theirs.error == ours.error:
            errors = (theirs.error, 'outputs')
        for target in (f'{theirs.target} {theirs.op}', theirs.target):
            key = (theirs.object, theirs.method, target, *errors)
            if key in self.intended:
                self.intended[key] += 1
                return True
        return False

    def stale(self):
        """Entries that nothing needs."""
        for key, count in self.intended.items():
            if not count:
                yield 'intended, and does not occur: ' + ' '.join(key)
        for (side, method), count in self.absent.items():
            if not count:
                yield f'absent on {side}, and does not occur: {method}'
        for side, method in sorted(set(self.present)):
            yield f'absent on {side}, and works: {method}'


class Comparison:
    """Two logs side by side."""

    def __init__(self, theirs, ours, expected):
        self.expected = expected
        self.calls = collections.Counter()
        self.counts = collections.Counter()
        self.unintended = collections.defaultdict(list)
        self.problem = None
        theirs, ours = iter(theirs), iter(ours)
        for one in theirs:
            other = next(ours, None)
            if other is None or one.asked != other.asked:
                self.problem = f'the logs part at call {one.number}'
                return
            self.take(one, other)
        if next(ours, None):
            self.problem = 'upstream\'s log is shorter'

    def take(self, theirs, ours):
        """One call and its two results."""
        self.calls[(theirs.object, theirs.method)] += 1
        if theirs.result == ours.result:
            self.counts['same'] += 1
        elif self.expected.is_absent(theirs, ours):
            self.counts['absent'] += 1
        elif self.expected.is_intended(theirs, ours):
            self.counts['intended'] += 1
        else:
            self.counts['unintended'] += 1
            self.unintended[(theirs.object, theirs.method)].append(
                (theirs, ours))

    def notes(self, method):
        """Lines about the differences of a method, alike ones once."""
        alike = collections.defaultdict(list)
        for theirs, ours in self.unintended[method]:
            kind = (theirs.route, theirs.target, theirs.op, theirs.reached,
                    theirs.result, ours.result)
            alike[kind].append(theirs.number)
        for kind, numbers in sorted(alike.items(),
                                    key=lambda item: -len(item[1])):
            *words, theirs, ours = kind
            yield (f'#   {len(numbers)} {" ".join(words)}: upstream '
                   f'{" ".join(theirs)}, ours {" ".join(ours)}; '
                   f'call {numbers[0]}')


def run(stack, calls, seed):
    """Run the program on one stack; the log's path, or None."""
    log = FOLDER / f'abidiff-{stack}.log'
    log.unlink(missing_ok=True)
    limit = 300 + calls // 50
    command = (f'cp /mnt/share/abidiff /tmp; '
               f'time /tmp/abidiff {calls} {seed} /mnt/share/{log.name}')
    if stack == 'ours':
        command += ' && /tmp/abidiff routes'
    done = subprocess.run(
        [sys.executable, '-B', gate.ROOT / 'scripts' / 'vm.py', '--', command],
        check=False, text=True, stdout=subprocess.PIPE,
        env={**os.environ, 'STACK': stack, 'KERNEL': 'test', 'CENSUS': '1',
             'SHARE': str(FOLDER), 'TIMEOUT': str(limit)})
    print(''.join(f'# {stack}: {line}\n' for line in done.stdout.splitlines()),
          end='')
    return log, done.returncode


def verdict(comparison, status, asked):
    """Print the cases and the counts; the status. 0 asked for: any number."""
    failed = 0
    methods = sorted(comparison.calls)
    problems = [f'ours: status {status}'] if status else []
    problems += [comparison.problem] if comparison.problem else []
    seen = sum(comparison.counts.values())
    if asked and seen != asked:
        problems.append(f'{asked} calls asked for, {seen} compared')
    if asked >= MANY:
        problems += comparison.expected.stale()
    print(f'1..{len(methods) + 1}')
    for number, method in enumerate(methods, 1):
        bad = comparison.unintended.get(method)
        failed += bool(bad)
        print(f'{"not " if bad else ""}ok {number} {".".join(method)}, '
              f'{comparison.calls[method]} calls')
        if bad:
            print('\n'.join(comparison.notes(method)))
    print(f'{"not " if problems else ""}ok {len(methods) + 1} both ran to '
          'their ends')
    for problem in problems:
        print(f'#   {problem}')
    counts = comparison.counts
    print(f'# {seen} calls, {counts["absent"]} of methods '
          f'that one side lacks, {counts["intended"]} intended differences, '
          f'{counts["unintended"]} unintended')
    return 1 if failed or problems else 0


def main(argv):
    """The program."""
    if len(argv) == 3 and argv[0] == '--compare':
        comparison = Comparison(*map(read_log, argv[1:]), Expected())
        return verdict(comparison, 0, 0)
    if len(argv) != 2:
        gate.fail(__doc__)
    calls, seed = int(argv[0], 0), int(argv[1], 0)
    FOLDER.mkdir(parents=True, exist_ok=True)
    made = gate.run('make', '-s', '-C', 'tools/testing/uverbs', f'O={FOLDER}')
    if made.returncode:
        gate.fail('the program does not build:', made.stderr)
    theirs, _ = run('upstream', calls, seed)
    ours, status = run('ours', calls, seed)
    if not (theirs.exists() and ours.exists()):
        gate.fail('no logs')
    comparison = Comparison(read_log(theirs), read_log(ours), Expected())
    return verdict(comparison, status, calls)


sys.exit(main(sys.argv[1:]))
