#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Does the runner of the tests count right, and fail when it should?"""
import contextlib
import io
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
        first = runner.Passed(path, 'tree')
        first.keep('a', 3, ('x',))
        first.keep('b', 1, ())
        first.keep('c', 2, ())
        first.drop('b')
        again = runner.Passed(path, 'tree')
        step = runner.Step('a', 'quick', 1, 'tap', 'false')
        with contextlib.redirect_stdout(io.StringIO()):
            result = runner.resumed(step, again)
        good = (set(again.steps) == {'a', 'c'} and result.passed == 3
                and result.skipped == ('x',) and not result.failed
                and not runner.Passed(path, 'other').steps
                and not runner.Passed(path, '').steps
                and runner.tree_of(folder) == '')
    print(f'{"ok" if good else "not ok"} {number} what passed is not repeated')
    return good


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
    failed += not resumes(len(CASES) + 2)
    slow = runner.Step('slow', 'quick', 1, 'status', 'sleep 60')
    runner.LOGS.mkdir(parents=True, exist_ok=True)
    result, _, seconds = runner.run(slow, False)
    good = result.failed == 1 and seconds < 20
    failed += not good
    print(f'{"ok" if good else "not ok"} {len(CASES) + 1} a step has an end')
    print(f'1..{len(CASES) + 2}')
    return failed != 0


sys.exit(main())
