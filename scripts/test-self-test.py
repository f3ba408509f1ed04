#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Does the runner of the tests count right, and fail when it should?"""
import contextlib
import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import test as runner

# what, output, status, passed, failed, skipped
CASES = (
    ('all pass', 'ok 1 a\nok 2 b\n1..2\n', 0, 2, 0, 0),
    ('one fails', 'ok 1 a\nnot ok 2 b\n1..2\n', 1, 1, 1, 0),
    ('a failure with status 0', 'not ok 1 a\n1..1\n', 0, 0, 1, 0),
    ('a status without a failure', 'ok 1 a\n1..1\n', 3, 1, 1, 0),
    ('a kernel report counts beside a failure',
     'not ok 1 a\n1..1\n', 98, 0, 2, 0),
    ('no plan', 'ok 1 a\n', 0, 1, 1, 0),
    ('nothing', '', 0, 0, 1, 0),
    ('a line is missing', 'ok 1 a\n1..2\n', 0, 1, 1, 0),
    ('known skip', 'ok 1 a # SKIP no such thing\nok 2 b\n1..2\n', 0, 1, 0, 1),
    ('unknown skip', 'ok 1 z # SKIP no reason\nok 2 b\n1..2\n', 0, 1, 1, 0),
    ('other output between', 'hello\nok 1 - a # 3 files\nokay\n1..1\n',
     0, 1, 0, 0),
    ('two documents', '1..1\nok 1 a\n1..1\nnot ok 1 b\n', 1, 1, 1, 0),
)


def resumes(number):
    """Only what passed is there again, and only for the same clean tree."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'passed.json'
        first = runner.Passed(path)
        first.keep('a', 'tree', 3, ('x',))
        first.keep('b', 'tree', 1, ())
        first.keep('c', '', 2, ())
        first.drop('b')
        again = runner.Passed(path)
        good = (again.find('a', 'tree') == (3, ('x',))
                and not again.find('a', 'other')
                and not again.find('b', 'tree')
                and not again.find('c', '') and counts_again(path))
    print(f'{"ok" if good else "not ok"} {number} what passed is not repeated')
    return good


def counts_again(path):
    """What a step came to before is its result; building is repeated."""
    step, build = (runner.Step(name, 'quick', 1, 'tap', 'false')
                   for name in ('step', 'build'))
    tree = runner.tree_read_by
    runner.tree_read_by = lambda _: 'tree'
    earlier = runner.Passed(path)
    for name in 'step', 'build':
        earlier.keep(name, 'tree', 3, ('x',))
    with contextlib.redirect_stdout(io.StringIO()):
        result = runner.resumed(step, earlier)
        again = runner.resumed(build, earlier)
    runner.tree_read_by = tree
    return (result.passed, result.skipped, result.failed, again) == (
        3, ('x',), 0, None)


def git(folder, *words):
    subprocess.run(['git', '-C', folder, *words], check=True,
                   capture_output=True)


def knows_its_tree(number):
    """A tree is its files but for those that do not count, all committed."""
    with tempfile.TemporaryDirectory() as folder:
        trees = [runner.tree_of(folder)]
        git(folder, 'init')
        for name in ('read', 'kunit'):
            Path(folder, name).write_text('text')
            trees.append(runner.tree_of(folder))
            git(folder, 'add', name)
            git(folder, '-c', 'user.name=a', '-c', 'user.email=a@b',
                'commit', '-m', name)
            trees += [runner.tree_of(folder),
                      runner.tree_of(folder, ('kunit',))]
    _, _, whole, part, _, more, same = trees
    good = (not any((trees[0], trees[1], trees[4])) and whole == part
            and more != whole and same == whole)
    print(f'{"ok" if good else "not ok"} {number} a tree and what is read')
    return good


def same_from_make(number):
    """A step runs on what it says, also below make with its KERNEL."""
    step = runner.Step('settings', 'quick', 10, 'status',
                       'test "${KERNEL-none} $ACCEL" = "none tcg"')
    os.environ.update(KERNEL='stock', ACCEL='tcg')
    result, *_ = runner.run(step, False)
    print(f'{"not ok" if result.failed else "ok"} {number} '
          'a step has no settings but its own')
    return not result.failed


def main():
    step = runner.Step('step', 'quick', 1, 'tap', '')
    failed = 0
    for number, case in enumerate(CASES, 1):
        what, output, status, *want = case
        with tempfile.NamedTemporaryFile('w') as file:
            file.write(output)
            file.flush()
            result = runner.count(step, Path(file.name), status)
        runner.judge_skips(step, result, {'step::a'})
        got = [result.passed, result.failed, len(result.skipped)]
        good = got == want
        failed += not good
        print(f'{"ok" if good else "not ok"} {number} {what}')
        if not good:
            print(f'#   counted {got}, not {want}')
    failed += not resumes(len(CASES) + 1)
    failed += not knows_its_tree(len(CASES) + 2)
    slow = runner.Step('slow', 'quick', 1, 'status', 'sleep 60')
    runner.LOGS.mkdir(parents=True, exist_ok=True)
    result, _, seconds = runner.run(slow, False)
    good = result.failed == 1 and seconds < 20
    failed += not good
    print(f'{"ok" if good else "not ok"} {len(CASES) + 3} a step has an end')
    failed += not same_from_make(len(CASES) + 4)
    print(f'1..{len(CASES) + 4}')
    return failed != 0


sys.exit(main())
