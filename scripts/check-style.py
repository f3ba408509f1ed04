#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""check-style.py GATE - one of the gates of style

checkpatch  the kernel's checkpatch --strict over each C file and header
commits     each commit: subject, body, Signed-off-by
sizes       files and functions; the measured table with --table
spdx        a licence line in every file
kernel-doc  the kernel's kernel-doc over the API and the modules
python      our Python files compile
shell       shellcheck over our shell scripts
"""
import hashlib
import os
import re
import statistics
import sys
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatch

import gate

IGNORE = 'scripts/checkpatch.ignore'
EXCEPTIONS = 'scripts/style-exceptions.txt'

# pattern of files, largest file, largest function
SIZES = (
    ('include/connectx/*.h', 500, 80),
    ('*.h', 300, 80),
    ('*.c', 800, 80),
)
TABLE_ROOMS = ('drivers/core', 'drivers/uverbs', 'drivers/connectx',
               'include/ib', 'include/connectx', 'kunit', 'tools/vfu',
               'tools/cxmodel')

# SC1091: a file that is only there in the guest; SC2187: busybox has ash
NOT_SHELL = 'SC1091,SC2187'

GPL = 'SPDX-License-Identifier: GPL-2.0-only'
UAPI = 'SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note'
# no room for a line of ours: the licence itself, data
NO_SPDX = ('LICENSES/*', 'COPYING', 'LICENSE', '*.svg', '*.png', '*.json')


def table_of(path, columns):
    """Rows of a committed list: words, then a reason."""
    rows = []
    for line in (gate.ROOT / path).read_text().splitlines():
        if line and not line.startswith('#'):
            words = line.split(None, columns)
            if len(words) <= columns:
                gate.fail(f'{path}: a line without a reason: {line}')
            rows.append(words)
    return rows


def remembered(name, key, work):
    """work(), or what it said the last time for the same input."""
    digest = hashlib.blake2b(key, digest_size=12).hexdigest()
    memory = gate.BUILD / 'check' / name / digest
    if memory.exists():
        return memory.read_text().splitlines()
    lines = work()
    memory.parent.mkdir(parents=True, exist_ok=True)
    part = memory.with_suffix(f'.{os.getpid()}')
    part.write_text('\n'.join(lines))
    part.rename(memory)
    return lines


def checkpatch():
    script = gate.kernel_source() / 'scripts' / 'checkpatch.pl'
    ignored = table_of(IGNORE, 2)
    # checkpatch leaves a file where it runs: not in the tree
    folder = gate.BUILD / 'check' / 'tree'
    folder.mkdir(parents=True, exist_ok=True)
    files = gate.tree('*.c', '*.h')
    for room in {path.split('/')[0] for path in files}:
        if not (folder / room).is_symlink():
            (folder / room).symlink_to(gate.ROOT / room)

    def look(path):
        kinds = ','.join(kind for where, kind, _ in ignored
                         if fnmatch(path, where))
        command = ['perl', script, '--no-tree', '--strict', '--terse',
                   '--show-types', '--max-line-length=100', '--ignore', kinds,
                   '-f', path]

        def ask():
            out = gate.run(*command, cwd=folder).stdout
            return [line for line in out.splitlines()
                    if re.match(re.escape(path) + r':\d+:', line)]

        key = (str(command) + script.parent.parent.name).encode()
        return remembered('checkpatch',
                          key + (gate.ROOT / path).read_bytes(), ask)

    with ThreadPoolExecutor(2) as pool:
        found = [line for lines in pool.map(look, files) for line in lines]
    gate.verdict(found, f'{len(files)} files')


def commit_problems(commit):
    out = gate.run('git', 'show', '-s', '--format=%an <%ae>%n%B', commit)
    author, _, message = out.stdout.partition('\n')
    subject, _, rest = message.strip().partition('\n')
    body = [line for line in rest.strip().splitlines() if line.strip()]
    text = [line for line in body if not re.match(r'[A-Z][\w-]+: ', line)]
    name = f'{commit[:12]} "{subject[:50]}"'
    if not re.match(r'[A-Za-z0-9_./, {}-]+: \S', subject):
        yield f'{name}: the subject is not "area: do this"'
    if len(subject) > 72:
        yield f'{name}: the subject has {len(subject)} columns, not 72'
    if subject.endswith('.'):
        yield f'{name}: the subject ends with a full stop'
    if not text:
        yield f'{name}: it has no body that says why'
    if rest and rest[0] != '\n':
        yield f'{name}: no blank line after the subject'
    for line in text:
        if len(line) > 80 and ' ' in line.strip():
            yield f'{name}: a line of the body has {len(line)} columns'
    if f'Signed-off-by: {author}' not in body:
        yield f'{name}: no Signed-off-by of its author, {author}'


def commits():
    found = gate.run('git', 'rev-list', '--no-merges', 'HEAD').stdout.split()
    problems = [p for commit in found for p in commit_problems(commit)]
    gate.verdict(problems, f'{len(found)} commits')


def functions(text):
    """Yield (name, first line, lines) of each function, kernel style."""
    lines = text.split('\n')
    start = None
    for i, line in enumerate(lines, 1):
        if line == '{' and i > 1 and not lines[i - 2].endswith(('=', '\\')):
            start = i
        elif start and line == '}':
            head = i - 1
            for head in range(start - 1, 0, -1):
                if re.match(r'[A-Za-z_]', lines[head - 1]):
                    break
            name = re.search(r'(\w+)\(', lines[head - 1])
            yield name[1] if name else '?', start, i - start - 1
            start = None


def comment_lines(text):
    return sum(match.group().count('\n') + 1 for match in
               re.finditer(r'/\*.*?\*/|//[^\n]*', text, re.S))


def size_table(texts):
    print('room                files  lines  comment%  functions  median  '
          'p90  max')
    for room in TABLE_ROOMS:
        some = {p: t for p, t in texts.items() if p.startswith(room + '/')}
        if not some:
            continue
        sizes = sorted(n for t in some.values() for _, _, n in functions(t))
        lines = sum(t.count('\n') for t in some.values())
        comments = sum(map(comment_lines, some.values()))
        sizes = sizes or [0]
        print(f'{room:18} {len(some):6} {lines:6} {100 * comments // lines:8}%'
              f' {len(sizes):10} {statistics.median(sizes):7.0f}'
              f' {sizes[int(len(sizes) * 0.9) - 1]:4} {sizes[-1]:4}')


def sizes():
    files = gate.tree('*.c', '*.h')
    texts = {p: (gate.ROOT / p).read_text(errors='replace') for p in files}
    if '--table' in sys.argv:
        size_table(texts)
        return
    allowed = {name: reason for name, reason in table_of(EXCEPTIONS, 1)}
    problems, used, count = [], set(), 0

    def judge(name, place, size, limit):
        if size > limit and name in allowed:
            used.add(name)
        elif size > limit:
            problems.append(f'{place}: {name} has {size} lines, '
                            f'more than {limit}')

    for path, text in texts.items():
        _, most, longest = next(r for r in SIZES if fnmatch(path, r[0]))
        judge(path, f'{path}:1', text.count('\n'), most)
        for name, line, size in functions(text):
            count += 1
            judge(f'{path}:{name}', f'{path}:{line}', size, longest)
    problems += [f'{EXCEPTIONS}: {name} is within the limits now'
                 for name in allowed if name not in used]
    gate.verdict(problems, f'{len(files)} files, {count} functions')


def spdx():
    problems = []
    files = [p for p in gate.tree()
             if not any(fnmatch(p, n) for n in NO_SPDX)
             and (gate.ROOT / p).stat().st_size
             and not (gate.ROOT / p).is_symlink()]
    for path in files:
        with open(gate.ROOT / path, errors='replace') as file:
            head = [file.readline() for _ in range(3)]
        line = next((h for h in head if 'SPDX-License-Identifier:' in h), '')
        want = UAPI if path.startswith('uapi/') else GPL
        if not re.search(re.escape(want) + r'( \*/| -->)?$', line.rstrip()):
            problems.append(f'{path}:1: no line "{want}"')
    gate.verdict(problems, f'{len(files)} files')


def kernel_doc():
    script = gate.kernel_source() / 'scripts' / 'kernel-doc'
    files = gate.tree('include/ib/*.h', 'drivers/*.c', 'drivers/*.h')
    out = gate.run('perl', script, '-Wall', '-none', *files)
    text = out.stdout + out.stderr
    # told to look for all: nothing to document is none of them
    problems = [line for line in text.splitlines()
                if re.search(r'\b(warning|error):', line, re.I)
                and 'no structured comments found' not in line]
    gate.verdict(problems, f'{len(files)} files')


def python():
    problems = []
    files = [path for path in gate.tree()
             if path.endswith('.py') or starts_with(path, b'#!.*python')]
    for path in files:
        try:
            compile((gate.ROOT / path).read_bytes(), path, 'exec',
                    dont_inherit=True)
        except SyntaxError as error:
            problems.append(f'{path}:{error.lineno}: {error.msg}')
    gate.verdict(problems, f'{len(files)} files')


def starts_with(path, pattern):
    with open(gate.ROOT / path, 'rb') as file:
        return re.match(pattern, file.readline())


def shell():
    # what says its shell in a comment is sourced, and looked at from there
    files = [path for path in gate.tree()
             if starts_with(path, rb'#!.*\b(ba)?sh\b')]
    out = gate.run('shellcheck', '-x', '-f', 'gcc', '-e', NOT_SHELL,
                   '-P', '.:scripts:scripts/setup:scripts/guest', *files)
    if out.returncode not in (0, 1):
        gate.fail('shellcheck:', out.stderr.strip())
    gate.verdict(out.stdout.splitlines(), f'{len(files)} scripts')


GATES = {'checkpatch': checkpatch, 'commits': commits, 'sizes': sizes,
         'spdx': spdx, 'kernel-doc': kernel_doc, 'python': python,
         'shell': shell}


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in GATES:
        gate.fail('which gate?', __doc__)
    GATES[sys.argv[1]]()


main()
