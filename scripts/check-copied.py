#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""No lines taken over from upstream's RDMA and mlx5 sources.

A run of RUN or more significant lines that stands both in a file of ours and
in one of theirs is a problem. White space is normalised; comments, blank
lines, lone braces and punctuation, #include and SPDX lines do not count.

The hashes of upstream's runs are kept in build/, by the source's version.
--self-test plants copies and sees that they are found.
"""
import hashlib
import pickle
import re
import sys
import tempfile
from pathlib import Path

import gate

RUN = 6
UPSTREAM = ('drivers/infiniband', 'drivers/net/ethernet/mellanox/mlx5',
            'include/rdma', 'include/linux/mlx5')
OURS = ('*.c', '*.h')

# A comment or a string: what looks like a comment in a string is none.
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)
INSIGNIFICANT = re.compile(r'[\W_]*$|#\s*include\b')


def strip_comment(match):
    text = match.group()
    return text if text[0] == '"' else ' ' + '\n' * text.count('\n')


def significant(text):
    """[(line number, normalised line)] of what counts in a file."""
    text = TOKEN.sub(strip_comment, text)
    lines = ((n, ' '.join(line.split()))
             for n, line in enumerate(text.split('\n'), 1))
    return [(n, line) for n, line in lines if not INSIGNIFICANT.match(line)]


def runs(lines):
    """Yield (index of first line, hash) of every run of RUN lines."""
    text = [line for _, line in lines]
    for i in range(len(text) - RUN + 1):
        run = '\n'.join(text[i:i + RUN])
        yield i, hashlib.blake2b(run.encode(), digest_size=8).digest()


def read(path):
    return significant(path.read_text(errors='replace'))


def build_index(source):
    """{hash of a run: (file, line)} of upstream's files."""
    index = {}
    for folder in UPSTREAM:
        for path in sorted((source / folder).rglob('*.[ch]')):
            lines = read(path)
            for i, key in runs(lines):
                index.setdefault(key, (str(path.relative_to(source)),
                                       lines[i][0]))
    return index


def load_index(source):
    me = hashlib.blake2b(Path(__file__).read_bytes(), digest_size=4)
    cache = gate.BUILD / 'check' / f'copied-{source.name}-{me.hexdigest()}'
    if cache.exists():
        return pickle.loads(cache.read_bytes())
    index = build_index(source)
    cache.parent.mkdir(parents=True, exist_ok=True)
    part = cache.with_suffix('.part')
    part.write_bytes(pickle.dumps(index))
    part.rename(cache)
    return index


def compare(name, lines, index):
    """Yield one problem per longest common run of a file."""
    end = -1
    first = None
    for i, key in [*runs(lines), (len(lines) + RUN, None)]:
        theirs = index.get(key)
        if first and (not theirs or i > end - RUN + 2):
            yield (f'{name}:{first[0]}: {end - first[2] + 1} lines as in '
                   f'{first[1][0]}:{first[1][1]}')
            first = None
        if theirs:
            first = first or (lines[i][0], theirs, i)
            end = i + RUN - 1


def self_test(source, index):
    """Plant runs of an upstream file: RUN lines are found, one less not."""
    path = sorted((source / UPSTREAM[0]).rglob('cq.c'))[0]
    lines = read(path)
    start = next(i for i, key in runs(lines) if key in index and i > 20)
    copy = [line for _, line in lines[start:start + RUN + 2]]
    cases = (
        ('a run', copy[:RUN], 1),
        ('a longer run', copy, 1),
        ('one line less', copy[:RUN - 1], 0),
        ('one line changed', copy[:3] + ['int other;'] + copy[3:RUN], 0),
        ('other white space',
         ['\t' + line.replace(' ', '  ') for line in copy[:RUN]], 1),
        ('comments and braces between',
         [line + ' /* mine */\n}\n// also mine' for line in copy[:RUN]], 1),
    )
    problems = []
    for what, planted, want in cases:
        with tempfile.NamedTemporaryFile('w', suffix='.c') as file:
            file.write('int ours;\n' + '\n'.join(planted) + '\nint more;\n')
            file.flush()
            got = list(compare('planted.c', read(Path(file.name)), index))
        if len(got) != want:
            problems.append(f'self-test: {what}: {len(got)} found, '
                            f'{want} planted')
    gate.verdict(problems, f'{len(cases)} planted cases')


def main():
    source = gate.kernel_source()
    index = load_index(source)
    if '--self-test' in sys.argv:
        self_test(source, index)
    problems = []
    files = gate.tree(*OURS)
    for name in files:
        problems += compare(name, read(gate.ROOT / name), index)
    gate.verdict(problems, f'{len(files)} files against '
                           f'{len(index)} runs of {source.name}')


main()
