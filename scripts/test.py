#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""test.py [--resume] quick|full|soak|kunit|mutants|STEP... - run tests

Each step is a command. It prints one line, its output goes to a file in
build/logs/test, the end of which is shown when it fails. The last line is
"N passed, N failed, N skipped". A skipped case that is not in
scripts/skips.txt counts as failed. --list prints the steps.

--resume does not repeat what passed before in this clone, on a clean working tree
of the same content, and counts it. Setting up and building are repeated. Steps
that run programs in the guest read neither kunit/ nor the documentation.
"""
import os
import re
import signal
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree
from dataclasses import dataclass
from pathlib import Path

from bench.settings import NAMES
from passed import Passed, tree_of

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / 'build' / 'logs' / 'test'
SKIPS = ROOT / 'scripts' / 'skips.txt'
TAIL = 25

# A step says itself what it runs on; the KERNEL, STACK and so on that make exports
# are for its other targets. Only the machine knows whether it has a KVM.
NOT_FOR_STEPS = {'K', *NAMES} - {'ACCEL'}

# Statuses of vm.py that say more than the command's own failure.
VM_SAYS = {95: 'the stack did not load or unload', 96: 'the bench failed',
           97: 'objects are left in the adapter',
           98: 'the guest\'s kernel reported a bug', 124: 'timeout'}


@dataclass(frozen=True)
class Step:
    """A command, the tiers it belongs to, its time, how to count."""
    name: str
    tiers: str
    timeout: int
    count: str          # tap, junit or status
    command: str


def vm(stack, kernel, command, more=''):
    """A command for the guest; the adapter has to be empty afterwards."""
    return (f'STACK={stack} KERNEL={kernel} CENSUS=1 TIMEOUT=1500 {more} '
            f'scripts/vm.py -- {command}')


GUEST_PROGRAMS = 'SHARE=$PWD/build/testing'


def both(name, seconds, seconds_debug, command, more=GUEST_PROGRAMS):
    """The same on the test kernel, often, and on the debug kernel."""
    return (Step(name, 'quick full', seconds, 'tap',
                 vm('ours', 'test', command, more)),
            Step(f'{name}-debug', 'full', seconds_debug, 'tap',
                 vm('ours', 'debug', command, more)))


# and the sample driver beside ours
UVERBS = "'/mnt/share/uverbs && /mnt/share/sample /mnt/modules'"

# keys are kept, and other people's programs transfer by them
WITH_POOL = ('export CONNECTX_OPTIONS=mkey_pool=64; '
             'stack.sh unload && stack.sh load && ')
POOL = (f"'{WITH_POOL}"
        '/mnt/share/mr_pool \"cxctl fail-umr 1\" && /mnt/share/stale_key && '
        "proof short'")
POOL_RACES = (f"'{WITH_POOL}/mnt/share/memory_refused cxctl pool && "
              "/mnt/share/races_memory %u \"cxctl census\"'")

STEPS = (
    Step('setup', 'quick full soak', 5400, 'status',
         'make setup KERNEL=stock && make setup KERNEL=test'),
    Step('setup-debug', 'full soak', 5400, 'status',
         'make setup KERNEL=debug'),
    Step('build', 'quick full soak', 900, 'status',
         'make model && make modules KERNEL=stock && '
         'make modules KERNEL=test && '
         'mkdir -p build/testing && '
         'make -s -C tools/testing/uverbs O=$PWD/build/testing && '
         'make -s -C tools/verbs-why O=$PWD/build'),
    Step('build-debug', 'full soak', 900, 'status',
         'make modules KERNEL=debug'),
    Step('check', 'quick full', 1500, 'tap', 'KERNEL=test scripts/check.sh'),
    Step('runner', 'quick full', 120, 'tap', 'scripts/test-self-test.py'),
    Step('bench', 'quick full', 120, 'tap', 'scripts/bench-self-test.py'),
    Step('model', 'quick full', 900, 'junit',
         'CXMODEL=$PWD/build/cxmodel /usr/bin/python3 -B -m pytest -q '
         '-p no:cacheprovider --junitxml={log}.xml tools/cxmodel/tests'),
    Step('kunit', 'quick full kunit', 600, 'tap', 'scripts/kunit.py'),
    Step('kunit-debug', 'full', 1800, 'tap', 'scripts/kunit.py debug'),
    Step('mutants', 'full mutants', 3600, 'tap', 'scripts/mutants.py'),
    Step('demo', 'quick full', 600, 'status', 'make demo'),
    Step('demo-leak', 'quick full', 600, 'status', 'scripts/test-leak.sh'),
    Step('upstream-stock', 'quick full', 900, 'tap',
         vm('upstream', 'stock', "'proof short && why upstream'")),
    Step('ours-stock', 'quick full', 900, 'tap',
         vm('ours', 'stock', 'proof full')),
    Step('ours-test', 'quick full', 900, 'tap',
         vm('ours', 'test', 'proof full')),
    Step('ours-debug', 'full', 3600, 'tap',
         vm('ours', 'debug', 'proof full', 'TIMEOUT=3500')),
    Step('upstream-full', 'full', 1800, 'tap',
         vm('upstream', 'stock', 'proof full')),
    Step('beside', 'quick full', 600, 'tap',
         vm('ours', 'stock', 'proof beside')),
    Step('killed', 'quick full', 600, 'tap',
         vm('ours', 'test', 'proof killed')),
    *both('dead', 600, 600, 'proof dead', 'KEEP=1'),
    Step('bad-input', 'quick full', 600, 'tap', 'scripts/test-bad-input.py'),
    Step('pyverbs', 'quick full', 2400, 'tap',
         'scripts/pyverbs.py --floor upstream ours'),
    Step('abidiff', 'quick full', 900, 'tap', 'scripts/abidiff.py 3000 3'),
    *(Step(f'abidiff-long-{seed}', 'soak', 7200, 'tap',
           f'scripts/abidiff.py 200000 {seed}') for seed in (1, 2, 3)),
    *both('uverbs', 600, 600, UVERBS),
    *both('memory', 300, 600, "'/mnt/share/memory \"cxctl fail-umr 1\"'"),
    *both('dmabuf', 300, 900, '/mnt/share/dmabuf /mnt/modules moves'),
    # what is registered where the adapter cannot wait for pages
    Step('memory-pinned', 'full', 600, 'tap',
         vm('ours', 'test', "'/mnt/share/memory \"cxctl fail-umr 1\" && "
            "/mnt/share/dmabuf /mnt/modules'",
            GUEST_PROGRAMS + ' MODEL_ARGS="--profile pinned"')),
    *both('odp', 300, 900, '/mnt/share/odp'),
    Step('peer', 'quick full', 600, 'tap', 'scripts/test-peer.sh'),
    Step('peer-iommu', 'full', 900, 'tap',
         'QEMU_ARGS="-device intel-iommu,caching-mode=on" '
         'KERNEL_ARGS=intel_iommu=on scripts/test-peer.sh'),
    *both('memory-limits', 600, 900,
          "'/mnt/share/memory_limits && /mnt/share/memory_kinds'"),
    Step('memory-threads', 'quick full', 600, 'tap',
         vm('ours', 'test',
            "'/mnt/share/memory_threads && /mnt/share/large_region && "
            "/mnt/share/stale_key'",
            GUEST_PROGRAMS)),
    # the large region takes ten minutes there
    Step('memory-threads-debug', 'full', 900, 'tap',
         vm('ours', 'debug',
            "'/mnt/share/memory_threads && /mnt/share/stale_key'",
            GUEST_PROGRAMS)),
    # the test kernel lets no program serve its own page faults
    Step('memory-threads-stock', 'full', 600, 'tap',
         vm('ours', 'stock', "'/mnt/share/memory_threads faults'",
            GUEST_PROGRAMS)),
    Step('memory-iommu', 'full', 900, 'tap',
         vm('ours', 'test', "'/mnt/share/memory \"cxctl fail-umr 1\" && "
            '/mnt/share/large_region && /mnt/share/stale_key && '
            "/mnt/share/races_memory 500 \"cxctl census\" && proof short'",
            GUEST_PROGRAMS + ' KERNEL_ARGS=intel_iommu=on '
            'QEMU_ARGS="-device intel-iommu,caching-mode=on"')),
    # the bench's processor has no pages of 1 GiB, and a guest of this size has
    # none in one piece once it has started
    Step('memory-huge', 'full', 900, 'tap',
         vm('ours', 'test', "'/mnt/share/memory_kinds huge'",
            GUEST_PROGRAMS + ' MEM=4G QEMU_ARGS="-cpu Haswell-v4,-pcid,'
            '-tsc-deadline,-invpcid,-spec-ctrl,+pdpe1gb" '
            'KERNEL_ARGS="hugepagesz=1G hugepages=1"')),
    *both('memory-refused', 300, 1800, "'/mnt/share/memory_refused cxctl'"),
    *both('memory-dead', 300, 900, "'/mnt/share/memory_refused cxctl dead'",
          GUEST_PROGRAMS + ' CENSUS='),
    # a case takes the minute that the driver waits
    Step('memory-lost', 'full', 900, 'tap',
         vm('ours', 'test', f"'{WITH_POOL}/mnt/share/memory_lost cxctl'",
            GUEST_PROGRAMS)),
    Step('races-memory', 'quick full', 600, 'tap',
         vm('ours', 'test', "'/mnt/share/races_memory 1000 \"cxctl census\"'",
            GUEST_PROGRAMS)),
    Step('races-memory-debug', 'full', 1500, 'tap',
         vm('ours', 'debug', "'/mnt/share/races_memory 5000 \"cxctl census\"'",
            GUEST_PROGRAMS)),
    *both('device-memory', 300, 600, "'/mnt/share/device_memory ours'"),
    Step('device-memory-upstream', 'full', 300, 'tap',
         vm('upstream', 'test', '/mnt/share/device_memory',
            GUEST_PROGRAMS)),
    *both('mr-pool', 600, 1500, POOL),
    Step('mr-pool-races', 'quick full', 600, 'tap',
         vm('ours', 'test', POOL_RACES % 500, GUEST_PROGRAMS)),
    Step('mr-pool-races-debug', 'full', 1500, 'tap',
         vm('ours', 'debug', POOL_RACES % 5000, GUEST_PROGRAMS)),
    Step('races', 'quick full', 600, 'tap',
         vm('ours', 'test',
            "'/mnt/share/races 1000 && /mnt/share/xrc_share 1000'",
            GUEST_PROGRAMS)),
    Step('races-debug', 'full', 3600, 'tap',
         vm('ours', 'debug',
            "'/mnt/share/races 5000 && /mnt/share/xrc_share 5000'",
            GUEST_PROGRAMS + ' TIMEOUT=3500')),
    Step('resources', 'quick full', 600, 'tap',
         vm('ours', 'test', "'/mnt/share/resources && proof exclusive'",
            GUEST_PROGRAMS)),
    Step('compat32', 'quick full', 300, 'tap',
         vm('ours', 'test', '/mnt/share/compat32', GUEST_PROGRAMS)),
    Step('resources-debug', 'full', 1600, 'tap',
         vm('ours', 'debug', "'/mnt/share/resources 20'", GUEST_PROGRAMS)),
    Step('reasons', 'quick full', 600, 'tap',
         vm('ours', 'test', "'/mnt/share/reasons && "
            "/mnt/share/reasons_memory cxctl && why'", GUEST_PROGRAMS)),
    # the test kernel has no memfd_secret()
    Step('reasons-stock', 'full', 600, 'tap',
         vm('ours', 'stock', "'/mnt/share/reasons_memory cxctl secret'",
            GUEST_PROGRAMS)),
    Step('fail-nth', 'full', 3600, 'tap',
         vm('ours', 'debug', "'/mnt/share/fail_nth && /mnt/share/fail_abi'",
            GUEST_PROGRAMS + ' TIMEOUT=3500')),
    Step('fail-memory', 'full', 1800, 'tap',
         vm('ours', 'debug',
            "'insmod /mnt/modules/kunit/helpers/moving_dmabuf.ko && "
            "/mnt/share/fail_memory'", GUEST_PROGRAMS)),
    Step('device-death', 'quick full', 600, 'tap',
         vm('ours', 'test', "'/mnt/share/device_death \"cxctl kill\"'",
            GUEST_PROGRAMS + ' CENSUS=')),
    Step('bench-ioctl', 'quick', 600, 'status',
         'scripts/bench-ioctl.py quick'),
    Step('bench-ioctl-full', 'full', 3600, 'status',
         'scripts/bench-ioctl.py full'),
    Step('bench-mr', 'quick', 600, 'status', 'scripts/bench-mr.py quick'),
    Step('bench-mr-full', 'full', 3600, 'status', 'scripts/bench-mr.py full'),
    Step('soak', 'soak', 8 * 3600, 'tap',
         'for i in $(seq 20); do ' + vm('ours', 'debug', 'proof full',
                                        'TIMEOUT=3600')
         + ' || exit; done'),
)
# The steps that read every file (exporters of DMA buffers are in kunit/); what
# the others do not read
WHOLE_TREE = ('check', 'dmabuf', 'dmabuf-debug', 'fail-memory', 'kunit',
              'kunit-debug', 'memory-pinned', 'mutants', 'peer', 'peer-iommu')
UNREAD = ('Documentation/', 'README.md', 'kunit/', 'mutants/')
TIERS = ('quick', 'full', 'soak', 'kunit', 'mutants')


@dataclass
class Result:
    """What came of a step."""
    passed: int = 0
    failed: int = 0
    skipped: tuple = ()
    notes: tuple = ()

    def fail(self, note):
        self.failed += 1
        self.notes += (note,)


def count_tap(text):
    """Count TAP, also of several documents; a missing line is a failure."""
    result = Result()
    seen = planned = 0
    for line in text.splitlines():
        plan = re.match(r'1\.\.(\d+)$', line)
        case = re.match(r'(not )?ok\b\s*\d*\s*(?:- )?([^#]*)(#.*)?$', line)
        if plan:
            planned += int(plan[1])
        elif case:
            seen += 1
            name = case[2].strip()
            if case[1]:
                result.fail(f'not ok {name}')
            elif re.match(r'#\s*SKIP\b', case[3] or '', re.I):
                result.skipped += (name,)
            else:
                result.passed += 1
    if not planned:
        result.fail('no plan: it did not come to its end')
    elif seen != planned:
        result.fail(f'{planned} cases planned, {seen} seen')
    return result


def count_junit(path):
    result = Result()
    if not path.exists():
        result.fail('no report')
        return result
    for case in xml.etree.ElementTree.parse(path).iter('testcase'):
        name = f'{case.get("classname")}.{case.get("name")}'
        if case.find('failure') is not None or case.find('error') is not None:
            result.fail(f'failed {name}')
        elif case.find('skipped') is not None:
            result.skipped += (name,)
        else:
            result.passed += 1
    if not (result.passed or result.failed or result.skipped):
        result.fail('no tests')
    return result


def count(step, log, status):
    """What the output and the status of a step add up to."""
    if step.count == 'status':
        result = Result(passed=1) if status == 0 else Result()
    elif step.count == 'junit':
        result = count_junit(Path(f'{log}.xml'))
    else:
        result = count_tap(log.read_text(errors='replace'))
    if status and (not result.failed or status in VM_SAYS):
        result.fail(VM_SAYS.get(status, f'status {status}'))
    return result


def known_skips():
    """{step::case} that may be skipped."""
    names = set()
    for line in SKIPS.read_text().splitlines():
        if line and not line.startswith('#'):
            name, _, reason = line.partition('  ')
            if not reason.strip():
                sys.exit(f'test.py: {SKIPS.name}: no reason: {line}')
            names.add(name)
    return names


def judge_skips(step, result, known):
    for case in result.skipped:
        if f'{step.name}::{case}' not in known:
            result.fail(f'skipped, and not in scripts/skips.txt: {case}')
    result.skipped = tuple(case for case in result.skipped
                           if f'{step.name}::{case}' in known)


def echo(process, log, verbose):
    """Copy the output to the log; what people want to see, to them."""
    with open(log, 'w', buffering=1) as file:
        for line in process.stdout:
            file.write(line)
            if verbose and line.startswith(('# ', 'not ok')):
                print('  ' + line.rstrip(), flush=True)


def environment():
    """What steps see of the environment."""
    return {name: value for name, value in os.environ.items()
            if name not in NOT_FOR_STEPS}


def run(step, verbose):
    """Run one step: (result, log, seconds)."""
    log = LOGS / f'{step.name}.log'
    Path(f'{log}.xml').unlink(missing_ok=True)
    start = time.monotonic()
    process = subprocess.Popen(
        ['bash', '-c', step.command.replace('{log}', str(log))], cwd=ROOT,
        env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors='replace',
        start_new_session=True)
    copier = threading.Thread(target=echo, args=(process, log, verbose))
    copier.start()
    try:
        status = process.wait(step.timeout)
    except subprocess.TimeoutExpired:
        stop(process)
        status = 124
    except KeyboardInterrupt:
        stop(process)
        raise
    copier.join(10)
    return count(step, log, status), log, time.monotonic() - start


def stop(process):
    """End a step's processes; they may clean up first."""
    for number, seconds in ((signal.SIGTERM, 15), (signal.SIGKILL, 5)):
        try:
            os.killpg(process.pid, number)
            process.wait(seconds)
            return
        except subprocess.TimeoutExpired:
            continue
        except ProcessLookupError:
            return


def report(step, result, log, seconds):
    word = 'FAIL' if result.failed else 'ok'
    print(f'\r{word:5} {step.name:22} {result.passed:4} passed, '
          f'{result.failed} failed, {len(result.skipped)} skipped '
          f'{seconds:6.0f} s', flush=True)
    if not result.failed:
        return
    for note in result.notes[:10]:
        print(f'      {note}')
    lines = log.read_text(errors='replace').splitlines() if log.exists() else []
    for line in lines[-TAIL:]:
        print(f'      | {line[:160]}')
    print(f'      the whole log is {log.relative_to(ROOT)}', flush=True)


def choose(words):
    if words == ['--list']:
        for step in STEPS:
            print(f'{step.name:22} {step.tiers:18} {step.command}')
        sys.exit(0)
    chosen = [step for step in STEPS if any(
        word == step.name or word in TIERS and word in step.tiers.split()
        for word in words)]
    unknown = [word for word in words if word not in TIERS
               and word not in {step.name for step in STEPS}]
    if unknown or not chosen:
        sys.exit(f'test.py: no such tier or step: {" ".join(unknown)}\n'
                 f'{__doc__}')
    return chosen


def tree_read_by(step):
    return tree_of(ROOT, () if step.name in WHOLE_TREE else UNREAD)


def run_and_judge(step, verbose, known, earlier):
    """Run a step and tell of it; what passes is kept for --resume."""
    if sys.stdout.isatty():
        print(f'      {step.name} ...', end='', flush=True)
    earlier.drop(step.name)
    tree = tree_read_by(step)
    result, log, seconds = run(step, verbose)
    judge_skips(step, result, known)
    report(step, result, log, seconds)
    # a commit meanwhile: what passed is neither tree
    if not result.failed and tree == tree_read_by(step):
        earlier.keep(step.name, tree, result.passed, result.skipped)
    return result


def resumed(step, earlier):
    """What came of a step before, or None."""
    found = earlier.find(step.name, tree_read_by(step))
    if not found or prepares(step):
        return None
    passed, skipped = found
    print(f'ok    {step.name:22} {passed:4} passed, 0 failed, '
          f'{len(skipped)} skipped, earlier', flush=True)
    return Result(passed=passed, skipped=skipped)


def prepares(step):
    return step.name.startswith(('setup', 'build'))


def main(words):
    resume = '--resume' in words
    steps = choose([word for word in words if word != '--resume'])
    LOGS.mkdir(parents=True, exist_ok=True)
    known = known_skips()
    earlier = Passed(LOGS / 'passed.json')
    passed = failed = skipped = 0
    for step in steps:
        result = resumed(step, earlier) if resume else None
        if not result:
            result = run_and_judge(step, len(steps) == 1, known, earlier)
        passed += result.passed
        failed += result.failed
        skipped += len(result.skipped)
        if prepares(step) and result.failed:
            print('the rest needs that: not run')
            break
    print(f'{passed} passed, {failed} failed, {skipped} skipped')
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        print('test.py: stopped', file=sys.stderr)
        sys.exit(130)
