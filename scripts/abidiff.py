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
import re
import subprocess
import sys

import gate

INTENDED = gate.ROOT / 'scripts' / 'abidiff-intended.txt'
ABSENT = gate.ROOT / 'scripts' / 'abidiff-absent.txt'
FOLDER = gate.BUILD / 'testing'
# What a device says that does not have a method or a command.
REFUSALS = ('EPROTONOSUPPORT', 'EOPNOTSUPP')
# From so many calls on, an intended difference that does not occur is stale,
# and each method has to be called by each route, spoilt in each way.
MANY = 100000
# Sets of numbers that a row can name: a wildcard says nothing, these do.
SETS = {
    '<not-0>': lambda value: value != 0,
    '<not-64-128>': lambda value: value not in (64, 128),
    '<over-11>': lambda value: value > 11,
    '<2^32-pages>': lambda value: value > 0xffffffff << 12,
}
# The kinds of faults, by target and op
KINDS = {
    'none': r'- -$',
    'number': r'.* =0x',
    'length': r'.* len|hdr\.(length|in_words|out_words|prov.*) |bytes ',
    'count': r'hdr\.num_attrs ',
    'id': r'.* id[+=^]|hdr\.(object_id|method_id|driver_id|command) ',
    'flags': r'.* flags=',
    'reserved': r'.*reserved',
    'tail': r'.*-junk$',
    'pointer': r'(?!hdr|bytes).* (null|nowhere|kernel|noncanonical|highest|'
               r'read-only|over-edge|\+[18])$',
    'other class': r'.* is-',
    'stale': r'.* stale$',
    'foreign': r'.* foreign$',
    'duplicate': r'.* twice$',
    'absent': r'.* absent$',
    'unknown': r'added ',
    'context': r'file ',
}


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


def written(call):
    """The counters of bytes of a call's outputs, as numbers."""
    return [int(word) for word in call.outputs.split(',') if word.isdigit()]


def fewer(theirs, ours):
    """Did ours write nothing that upstream did not?"""
    return (len(written(theirs)) == len(written(ours)) and
            all(a >= b for a, b in zip(written(theirs), written(ours))) and
            int(ours.valid, 16) & ~int(theirs.valid, 16) == 0)


def op_in(op, ops):
    """Is it one of those that a row names?"""
    for name in ops:
        if op == name:
            return True
        if name in SETS and op.startswith('=0x') and SETS[name](int(op[1:],
                                                                    16)):
            return True
    return False


class Row:
    """An intended difference."""

    def __init__(self, obj, method, place, errors, reason):
        self.call = obj, method
        self.seldom = reason.startswith('seldom:')
        self.target, _, ops = place.partition(' ')
        self.ops = ops.split(',')
        self.errors = tuple(errors.split())
        self.name = ' '.join((obj, method, place, errors))
        self.count = 0
        if not ops or len(self.errors) != 2:
            gate.fail(f'{INTENDED.name}: no op, or not two errnos: '
                      f'{self.name}')

    def has(self, theirs, ours):
        """Does it describe how the two differ?"""
        errors = theirs.error, ours.error
        if theirs.error == ours.error:
            errors = theirs.error, fewer(theirs, ours) and 'fewer'
        return ((theirs.object, theirs.method) == self.call and
                theirs.target == self.target and errors == self.errors and
                op_in(theirs.op, self.ops))


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
        self.intended = collections.defaultdict(list)
        for columns in rows(INTENDED, 5):
            row = Row(*columns)
            self.intended[row.call].append(row)
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
        """Is it in the list?"""
        for row in self.intended[(theirs.object, theirs.method)]:
            if row.has(theirs, ours):
                row.count += 1
                return True
        return False

    def rarest(self):
        """The row that is nearest to being stale"""
        return min((row for row in sum(self.intended.values(), [])
                    if not row.seldom), key=lambda row: row.count)

    def stale(self):
        """Entries that nothing needs."""
        for row in sum(self.intended.values(), []):
            if not row.count and not row.seldom:
                yield f'intended, and does not occur: {row.name}'
        for (side, method), count in self.absent.items():
            if not count:
                yield f'absent on {side}, and does not occur: {method}'
        for side, method in sorted(set(self.present)):
            yield f'absent on {side}, and works: {method}'


class Coverage:
    """Which methods were called, by which routes, and how they were spoilt."""

    def __init__(self, wanted):
        self.calls = dict.fromkeys(wanted, 0)
        self.good = set()
        self.places = collections.Counter()

    def take(self, theirs, ours):
        """A call, and how it went on both sides"""
        way = theirs.route, theirs.object, theirs.method
        self.calls[way] = self.calls.get(way, 0) + 1
        self.places[f'{theirs.target} {theirs.op}'] += 1
        if '0' in (theirs.error, ours.error) and theirs.reached == '-':
            self.good.add(way)

    def kinds(self):
        """How often there was each kind of fault; a call may be of two."""
        return {kind: sum(count for place, count in self.places.items()
                          if re.match(pattern, place))
                for kind, pattern in KINDS.items()}

    def missing(self):
        """What never occurred"""
        for way, count in self.calls.items():
            if not count:
                yield 'never called: ' + ' '.join(way)
        for kind, count in self.kinds().items():
            if not count:
                yield f'no fault of kind: {kind}'

    def lines(self):
        """For the summary"""
        called = [count for count in self.calls.values() if count]
        yield (f'{len(called)} of {len(self.calls)} methods and commands, '
               f'each by its routes, at least {min(called, default=0)} calls '
               f'each; {len(self.good)} succeeded at least once')
        yield 'faults: ' + ', '.join(f'{kind} {count}' for kind, count
                                     in self.kinds().items())


class Comparison:
    """Two logs side by side."""

    def __init__(self, theirs, ours, expected, coverage):
        self.expected = expected
        self.coverage = coverage
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
        self.coverage.take(theirs, ours)
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
    if seen >= MANY:
        problems += comparison.expected.stale()
        problems += comparison.coverage.missing()
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
    for line in comparison.coverage.lines():
        print(f'# {line}')
    rarest = comparison.expected.rarest()
    print(f'# rarest row: {rarest.count} times {rarest.name}')
    counts = comparison.counts
    print(f'# {seen} calls, {counts["absent"]} of methods '
          f'that one side lacks, {counts["intended"]} intended differences, '
          f'{counts["unintended"]} unintended')
    return 1 if failed or problems else 0


def compare(theirs, ours):
    """Two logs; what should be in them is what the program can call."""
    listed = gate.run(FOLDER / 'abidiff', 'list').stdout.splitlines()
    coverage = Coverage(tuple(line.split()) for line in listed)
    return Comparison(read_log(theirs), read_log(ours), Expected(), coverage)


def main(argv):
    """The program."""
    if len(argv) == 3 and argv[0] == '--compare':
        return verdict(compare(*argv[1:]), 0, 0)
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
    return verdict(compare(theirs, ours), status, calls)


sys.exit(main(sys.argv[1:]))
