#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""mutants.py [--apply | --self-test | NAME...] - do the tests find faults?

Each mutants/*.patch plants a fault of one line. Its head says which suite has
to notice:

    Kills: kunit/core:ib_umem_pgsz      a KUnit suite, in this folder
    Kills: model:test_cq.py             a file of the model's tests
    Fault: what is wrong, in words

A fault that the suite does not notice, that no longer applies or does not
build fails the gate. All KUnit faults run in one guest; one that takes the
guest down counts as noticed, and the others go on in a new one.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import gate
import kunit

FOLDER = gate.ROOT / 'mutants'
WORK = gate.BUILD / 'mutants'
TREE = WORK / 'tree'
MODULES = WORK / 'modules'
SHARE = WORK / 'share'
# A case that a fault lets wait for ever shall not take all of the guest's time.
STUCK_IS_DEAD = ('sysctl.kernel.hung_task_timeout_secs=120 '
                 'sysctl.kernel.hung_task_panic=1')
PYTEST_SECONDS = 180
BASELINE = 'no-fault'
AT_LEAST = 30


@dataclass
class Mutant:
    """A patch and who has to notice it."""
    path: Path
    kind: str       # kunit or model
    where: str      # folder of kunit/, or ''
    suite: str      # KUnit suite, or a file of tests

    @property
    def name(self):
        return self.path.stem


def read_mutant(path):
    """A mutant, or the text of what is wrong with the file."""
    text = path.read_text()
    kills = re.search(r'^Kills: (kunit|model)(?:/(\w+))?:(\S+)$', text, re.M)
    if not kills:
        return f'{path.name}: no line "Kills: kunit/FOLDER:SUITE" or ' \
               '"Kills: model:FILE"'
    if not re.search(r'^Fault: \S', text, re.M):
        return f'{path.name}: no line "Fault: what is wrong"'
    changed = re.findall(r'^([-+])(?!--|\+\+)(.*)', text, re.M)
    signs = ''.join(sign for sign, _ in changed)
    if signs not in ('-+', '-', '+'):
        return f'{path.name}: not a fault of one line'
    return Mutant(path, kills[1], kills[2] or '', kills[3])


def patch(tree, mutant, *options):
    """Apply, exactly; the answer is None or what patch says."""
    done = subprocess.run(
        ['patch', '-s', '-p1', '-F0', '--no-backup-if-mismatch', '-r', '-',
         *options, '-i', mutant.path], cwd=tree, text=True,
        capture_output=True, check=False)
    return (done.stdout + done.stderr).strip() if done.returncode else None


def load(folder):
    """(mutants, problems)"""
    found = [read_mutant(path) for path in sorted(folder.glob('*.patch'))]
    mutants = [m for m in found if isinstance(m, Mutant)]
    problems = [m for m in found if not isinstance(m, Mutant)]
    for mutant in mutants:
        refused = patch(gate.ROOT, mutant, '--dry-run')
        if refused:
            problems.append(f'{mutant.name}: does not apply: '
                            f'{" ".join(refused.split())[:120]}')
    return mutants, problems


def copy_tree():
    """The tree's files, where they may be spoilt; times stay for make."""
    TREE.mkdir(parents=True, exist_ok=True)
    files = gate.tree('drivers', 'include', 'uapi', 'kunit', 'samples',
                      'tools', 'scripts', 'Kbuild')
    subprocess.run(['rsync', '-a', '--files-from=-', '--from0', './',
                    f'{TREE}/'], input='\0'.join(files).encode(),
                   cwd=gate.ROOT, check=True)
    kept = {str(TREE / name) for name in files}
    for path in TREE.rglob('*'):
        if path.is_file() and str(path) not in kept:
            path.unlink()


class Results:
    """TAP, as it comes."""

    def __init__(self):
        self.number = self.failed = 0

    def add(self, good, name, *why):
        self.number += 1
        self.failed += not good
        print(f'{"ok" if good else "not ok"} {self.number} {name}')
        for line in why:
            print(f'#   {line}', flush=True)

    def end(self):
        print(f'1..{self.number}')
        sys.exit(1 if self.failed else 0)


def build_modules(name):
    """Build the tree's modules and put them where the guest sees them."""
    done = subprocess.run(
        [TREE / 'scripts' / 'modules.sh'], cwd=TREE, text=True,
        capture_output=True, check=False,
        env={**os.environ, 'KERNEL': 'test', 'OUT': str(MODULES)})
    if done.returncode:
        return done.stdout + done.stderr
    for module in MODULES.rglob('*.ko'):
        to = SHARE / name / module.relative_to(MODULES)
        to.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(['strip', '-g', '-o', to, module], check=True)
    return None


def with_fault(mutant, work):
    """work() on a tree with the fault in it."""
    refused = patch(TREE, mutant)
    if refused:
        return f'does not apply: {refused}'
    try:
        return work()
    finally:
        patch(TREE, mutant, '-R')


def run_guests(names):
    """Run all that is to do; {name} of those that took the guest down."""
    killers = set()
    # one more than there are, each round ends with a death or is the last
    for _ in range(len(names) + 1):
        (SHARE / 'at').unlink(missing_ok=True)
        status = subprocess.run(
            [sys.executable, '-B', gate.ROOT / 'scripts' / 'vm.py', '--',
             'mutants'], check=False, stdout=sys.stderr,
            env={**os.environ, 'STACK': 'none', 'KERNEL': 'test',
                 'KERNEL_ARGS': STUCK_IS_DEAD,
                 'TIMEOUT': '900', 'SHARE': str(SHARE)}).returncode
        at = SHARE / 'at'
        if not at.exists():
            return killers
        name = at.read_text().strip()
        if not name:
            gate.fail(f'the guest ended with status {status} at no mutant')
        killers.add(name)
        (SHARE / name / 'out').mkdir(exist_ok=True)
        (SHARE / name / 'out' / 'done').touch()
    return killers


def suite_failed(name, suite, source):
    """Did this suite notice? None if it did not run."""
    ktap = SHARE / name / 'out' / f'{suite}.ktap'
    if not ktap.exists():
        return None
    return any(how == 'failed' for _, how in kunit.parse(source, ktap))


def judge_kunit(mutant, killers, source, results):
    label = f'{mutant.name} {mutant.where}:{mutant.suite}'
    if mutant.name in killers:
        results.add(True, label, 'the guest died of it')
        return
    noticed = suite_failed(mutant.name, mutant.suite, source)
    if noticed is None:
        problems = SHARE / mutant.name / 'out' / 'problems'
        results.add(False, label, 'the suite did not run',
                    *problems.read_text().splitlines()
                    if problems.exists() else ())
    else:
        results.add(noticed, label,
                    *() if noticed else ('the suite did not notice',))


def run_kunit(mutants, results):
    """All KUnit faults."""
    source = gate.kernel_source()
    shutil.rmtree(SHARE, ignore_errors=True)
    SHARE.mkdir(parents=True)
    broken = build_modules(BASELINE)
    if broken:
        results.add(False, BASELINE, *broken.splitlines()[-10:])
        return
    built = []
    for mutant in mutants:
        print(f'# building {mutant.name}', flush=True)
        broken = with_fault(mutant, lambda m=mutant: build_modules(m.name))
        if broken:
            results.add(False, f'{mutant.name} builds',
                        *broken.splitlines()[-5:])
        else:
            built.append(mutant)
    folders = sorted({mutant.where for mutant in mutants})
    todo = [f'{BASELINE} ']
    todo += [f'{mutant.name} {mutant.where}' for mutant in built]
    (SHARE / 'todo').write_text('\n'.join(todo) + '\n')
    killers = run_guests([BASELINE] + [m.name for m in built])
    suites = {(m.where, m.suite) for m in built}
    sound = set()
    for suite in sorted({suite for _, suite in suites}):
        failed = suite_failed(BASELINE, suite, source)
        results.add(failed is False, f'{BASELINE} {suite}',
                    *() if failed is False else ('fails without a fault',))
        if failed is False:
            sound.add(suite)
    print(f'# folders: {", ".join(folders)}')
    for mutant in built:
        if mutant.suite in sound:
            judge_kunit(mutant, killers, source, results)
        else:
            results.add(False, f'{mutant.name} {mutant.where}:{mutant.suite}',
                        'the suite fails without a fault')


def run_tests(suite):
    """The model's tests of one file: 0 pass, 1 noticed, a text if broken."""
    out = WORK / 'model'
    out.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        ['make', '-s', '-C', TREE / 'tools' / 'cxmodel', f'O={out}', '-j2'],
        text=True, capture_output=True, check=False)
    if done.returncode:
        return done.stdout + done.stderr
    try:
        return subprocess.run(
            [sys.executable, '-B', '-m', 'pytest', '-q', '-x',
             '-p', 'no:cacheprovider', TREE / 'tools/cxmodel/tests' / suite],
            capture_output=True, check=False, timeout=PYTEST_SECONDS,
            env={**os.environ, 'CXMODEL': str(out / 'cxmodel')}).returncode
    except subprocess.TimeoutExpired:
        return 1


def run_model(mutants, results):
    """All faults of the model."""
    sound = set()
    for suite in sorted({mutant.suite for mutant in mutants}):
        status = run_tests(suite)
        results.add(status == 0, f'{BASELINE} {suite}',
                    *() if status == 0 else str(status).splitlines()[-5:])
        if status == 0:
            sound.add(suite)
    for mutant in mutants:
        label = f'{mutant.name} {mutant.suite}'
        if mutant.suite not in sound:
            # a missing pytest would "notice" every fault
            results.add(False, label, 'the tests fail without a fault')
            continue
        status = with_fault(mutant, lambda m=mutant: run_tests(m.suite))
        # 1 is pytest's for failed tests; others are its own troubles
        if status == 1:
            results.add(True, label)
        else:
            results.add(False, label, 'the tests did not notice'
                        if status == 0 else f'{status}'[-300:])


def self_test():
    """Bad mutants must be refused."""
    good = ('Kills: kunit/core:x\nFault: y\n\n--- a/scripts/gate.py\n'
            '+++ b/scripts/gate.py\n@@ -1,1 +1,1 @@\n'
            '-# SPDX-License-Identifier: GPL-2.0-only\n+# wrong\n')
    cases = (
        ('a good one', good, 0),
        ('no suite', good.replace('Kills: kunit/core:x', 'Kills: all'), 1),
        ('no words', good.replace('Fault: y', ''), 1),
        ('two lines', good + '+# more\n', 1),
        ('does not apply', good.replace('-2.0-', '-9.0-'), 1),
    )
    problems = []
    for what, text, want in cases:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / 'planted.patch').write_text(text)
            _, found = load(Path(folder))
        if len(found) != want:
            problems.append(f'self-test: {what}: {found}')
    gate.verdict(problems, f'{len(cases)} planted mutants')


def main():
    words = sys.argv[1:]
    if words == ['--self-test']:
        self_test()
    mutants, problems = load(FOLDER)
    if len(mutants) < AT_LEAST:
        problems.append(f'mutants: {len(mutants)}, fewer than {AT_LEAST}')
    if words == ['--apply']:
        gate.verdict(problems, f'{len(mutants)} mutants')
    results = Results()
    if words:
        mutants = [mutant for mutant in mutants if mutant.name in words]
        problems = [p for p in problems if p.split(':')[0] in words]
    for problem in problems:
        results.add(False, problem)
    mutants = [m for m in mutants if patch(gate.ROOT, m, '--dry-run') is None]
    copy_tree()
    model = [mutant for mutant in mutants if mutant.kind == 'model']
    kernel = [mutant for mutant in mutants if mutant.kind == 'kunit']
    if model:
        run_model(model, results)
    if kernel:
        run_kunit(kernel, results)
    results.end()


main()
