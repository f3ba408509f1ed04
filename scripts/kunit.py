#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""kunit.py [test|debug] - run the KUnit suites in the guest

Each suite's results are parsed by themselves with the kernel's kunit.py: it
reads one document and would take a pass for the whole. Prints TAP, a line
per case, and a comment per suite. No suite at all is a failure.
"""
import json
import os
import shutil
import subprocess
import sys

import gate

STATUS = {'PASS': 'passed', 'SKIP': 'skipped'}


def cases(group, path=''):
    """Yield (name, passed|failed|skipped) of a group of the parser's JSON."""
    for case in group['test_cases']:
        yield path + case['name'], STATUS.get(case['status'], 'failed')
    for sub in group['sub_groups']:
        yield from cases(sub, f'{path}{sub["name"]}.')


def parse(source, ktap):
    """[(case, outcome)] of one suite's file, as the kernel's tool sees it."""
    answer = ktap.with_suffix('.json')
    answer.unlink(missing_ok=True)
    tool = source / 'tools' / 'testing' / 'kunit' / 'kunit.py'
    done = gate.run(sys.executable, '-B', tool, 'parse', f'--json={answer}',
                    ktap)
    found = list(cases(json.loads(answer.read_text()))) \
        if answer.exists() else []
    name = ktap.stem
    if not found:
        return [(f'{name}.no_results', 'failed')]
    # what the parser dislikes besides (a missing plan, a crash)
    if done.returncode and all(how != 'failed' for _, how in found):
        found.append((f'{name}.parser', 'failed'))
    return found


def suites(source, folder):
    """{suite: [(case, outcome)]} of all results in a folder."""
    found = {ktap.stem: parse(source, ktap)
             for ktap in sorted(folder.glob('*.ktap'))}
    problems = folder / 'problems'
    if not problems.exists() or not (folder / 'done').exists():
        found['bench'] = [('the guest did not come to its end', 'failed')]
    elif problems.stat().st_size:
        found['bench'] = [(line, 'failed')
                          for line in problems.read_text().splitlines()]
    if not any(name != 'bench' for name in found):
        found.setdefault('bench', []).append(('no suites', 'failed'))
    return found


def guest(folder, kernel):
    """Run all suites in a guest; its status."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return subprocess.run(
        [sys.executable, '-B', gate.ROOT / 'scripts' / 'vm.py', '--',
         'kunit /mnt/modules /mnt/share'], check=False, stdout=sys.stderr,
        env={**os.environ, 'STACK': 'ours', 'KERNEL': kernel, 'TIMEOUT': '1500',
             'SHARE': str(folder)}).returncode


def main():
    kernel = sys.argv[1] if len(sys.argv) > 1 else 'test'
    source = gate.kernel_source()
    folder = gate.BUILD / 'kunit' / kernel
    status = guest(folder, kernel)
    number, totals = 0, {'passed': 0, 'failed': 0, 'skipped': 0}
    for suite, found in suites(source, folder).items():
        here = dict.fromkeys(totals, 0)
        for case, how in found:
            number += 1
            here[how] += 1
            word = 'not ok' if how == 'failed' else 'ok'
            tail = ' # SKIP' if how == 'skipped' else ''
            print(f'{word} {number} {case}{tail}')
        print(f'# {suite}: ' + ', '.join(f'{n} {how}'
                                         for how, n in here.items()))
        for how, n in here.items():
            totals[how] += n
    print(f'1..{number}')
    print('# all: ' + ', '.join(f'{n} {how}' for how, n in totals.items()))
    sys.exit(status or (1 if totals['failed'] else 0))


if __name__ == '__main__':
    main()
