#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""resources [fields | SECONDS] - what rdma(8) shows, while objects are open

Runs in the guest, on the first RDMA device of any mlx5 stack; TAP. "fields"
prints the names of all fields instead, so that two stacks can be compared.
SECONDS is the length of each race, 5 if not given.
"""
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import tap

HERE = Path(__file__).resolve().parent
TYPES = ('qp', 'cq', 'mr', 'pd', 'ctx', 'srq', 'cm_id')
NOBODY = 65534
MUST = {
    'dev': {'ifindex', 'ifname', 'node_type', 'fw', 'node_guid',
            'sys_image_guid', 'protocol', 'caps'},
    'link': {'ifindex', 'ifname', 'port', 'subnet_prefix', 'lid', 'sm_lid',
             'lmc', 'state', 'physical_state', 'caps'},
    'qp': {'ifindex', 'ifname', 'port', 'lqpn', 'rqpn', 'type', 'state',
           'rq-psn', 'sq-psn', 'path-mig-state', 'pdn', 'pid', 'comm'},
    'cq': {'ifindex', 'ifname', 'cqe', 'users', 'adaptive-moderation',
           'cqn', 'ctxn', 'pid', 'comm'},
    'mr': {'ifindex', 'ifname', 'rkey', 'lkey', 'mrlen', 'mrn', 'pdn', 'pid',
           'comm'},
    'pd': {'ifindex', 'ifname', 'local_dma_lkey', 'users', 'pdn', 'ctxn',
           'pid', 'comm'},
    'ctx': {'ifindex', 'ifname', 'ctxn', 'pid', 'comm'},
    'srq': {'ifindex', 'ifname', 'srqn', 'type', 'pdn', 'pid', 'comm'},
}


def run(*words, **more):
    """A command: (status, what it said)."""
    done = subprocess.run(words, check=False, text=True, capture_output=True,
                          **more)
    return done.returncode, done.stdout + done.stderr


def rdma(*words, **more):
    """What rdma(8) prints, parsed; an error is an exception."""
    status, text = run('rdma', '-j', '-d', *words, **more)
    if status or 'answers' in text:
        raise AssertionError(f'rdma {" ".join(words)}: {status}: {text}')
    return json.loads(text) if text.strip() else []


def device():
    return rdma('dev')[0]['ifname']


def summary():
    return {name: count for name, count in rdma('resource')[0].items()
            if name in TYPES}


class Holder:
    """A process with one object of each type."""

    def __enter__(self):
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen(
            [HERE / 'objects', 'hold'], text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE)
        self.lqpn = int(self.process.stdout.readline().split()[1])
        self.pid = int(self.process.stdout.readline().split()[1])
        return self

    def __exit__(self, *args):
        self.process.stdin.close()
        self.process.wait(20)

    def of(self, kind):
        """The process's object of a type."""
        found = [entry for entry in rdma('resource', 'show', kind)
                 if entry.get('pid') == self.pid]
        assert len(found) == 1, f'{kind}: {found}'
        return found[0]


def same(got, want):
    assert got == want, f'{got}, not {want}'


def device_and_link():
    dev = rdma('dev')[0]
    same(MUST['dev'] - set(dev), set())
    link = rdma('link')[0]
    same(MUST['link'] - set(link), set())
    same(link['state'], 'ACTIVE')


def system_modes():
    """Words and their values; this command knows no JSON."""
    status, text = run('rdma', 'system')
    assert not status, text
    words = text.split()
    return dict(zip(words[::2], words[1::2]))


def system():
    modes = system_modes()
    same((modes['netns'], modes['copy-on-fork']), ('shared', 'on'))


def counts():
    before = summary()
    same(set(before), set(TYPES))
    with Holder():
        now = summary()
        for kind in TYPES:
            same((kind, now[kind] - before[kind]),
                 (kind, 0 if kind == 'cm_id' else 1))
    same(summary(), before)


def fields():
    with Holder() as holder:
        for kind in TYPES:
            if kind != 'cm_id':
                same((kind, MUST[kind] - set(holder.of(kind))), (kind, set()))
                same(holder.of(kind)['comm'], 'objects')
        same(rdma('resource', 'show', 'cm_id'), [])


def values():
    with Holder() as holder:
        qp, cq = holder.of('qp'), holder.of('cq')
        pd, mr, srq = holder.of('pd'), holder.of('mr'), holder.of('srq')
        ctx = holder.of('ctx')
        same((qp['lqpn'], qp['type'], qp['state'], qp['port']),
             (holder.lqpn, 'RC', 'INIT', 1))
        same((mr['mrlen'], cq['cqe'], cq['users']), (4096, 63, 2))
        same(pd['users'], 3)
        same({qp['pdn'], mr['pdn'], srq['pdn']}, {pd['pdn']})
        same({pd['ctxn'], cq['ctxn']}, {ctx['ctxn']})
        assert mr['lkey'], mr


def by_number():
    name = device()
    with Holder() as holder:
        for kind, key in (('cq', 'cqn'), ('mr', 'mrn'), ('pd', 'pdn'),
                          ('ctx', 'ctxn'), ('srq', 'srqn')):
            one = holder.of(kind)
            found = rdma('resource', 'show', kind, 'dev', name,
                         key, str(one[key]))
            same((kind, [entry[key] for entry in found]), (kind, [one[key]]))
        found = rdma('resource', 'show', 'qp', 'link', f'{name}/1', 'lqpn',
                     str(holder.lqpn))
        same([entry['lqpn'] for entry in found], [holder.lqpn])
        for kind in ('qp', 'cq', 'mr', 'pd', 'ctx'):
            found = rdma('resource', 'show', kind, 'pid', str(holder.pid))
            same((kind, len(found)), (kind, 1))


def unknown_number():
    status, text = run('rdma', 'resource', 'show', 'cq', 'dev', device(),
                       'cqn', '4000000000')
    same((status, text.strip()), (0, ''))


def keys_are_for_admins():
    with Holder() as holder:
        found = [entry for entry in rdma('resource', 'show', 'mr',
                                         user=NOBODY)
                 if entry.get('pid') == holder.pid]
        same(len(found), 1)
        assert 'lkey' not in found[0] and 'rkey' not in found[0], found


def killed_owner():
    before = summary()
    with Holder() as holder:
        holder.process.kill()
        holder.process.wait(20)
        end = time.time() + 10
        while summary() != before and time.time() < end:
            time.sleep(0.1)
        same(summary(), before)


def statistic():
    with Holder():
        rdma('statistic', 'show', 'mr')
        same(rdma('statistic', 'qp', 'show'), [])


def races(seconds, *others):
    """Objects come and go while their lists are read."""
    before = summary()
    stop = time.time() + seconds
    problems, rounds = [], [0]

    def reader(work):
        while time.time() < stop and not problems:
            try:
                work()
                rounds[0] += 1
            except (AssertionError, ValueError, IndexError) as error:
                problems.append(str(error))

    threads = [threading.Thread(target=reader, args=(work,))
               for work in others]
    for thread in threads:
        thread.start()
    status, text = run(HERE / 'objects', 'churn', str(seconds))
    for thread in threads:
        thread.join()
    print(f'# {" ".join(text.split())}, {rounds[0]} looks')
    assert not status, text
    same(problems, [])
    assert rounds[0], 'nobody looked'
    same(summary(), before)


def every_list():
    for kind in TYPES:
        rdma('resource', 'show', kind)


def by_any_number():
    name = device()
    for number in range(4):
        run('rdma', 'resource', 'show', 'qp', 'link', f'{name}/1', 'lqpn',
            str(64 + number))
        run('rdma', 'resource', 'show', 'cq', 'dev', name, 'cqn',
            str(number))


def lists_and_churn():
    races(SECONDS, every_list, summary, by_any_number)


def renamed():
    """It can be renamed, is found by its new name, and back."""
    old = device()
    for bad in ('a/b', '.', ''):
        status, _ = run('rdma', 'dev', 'set', old, 'name', bad)
        assert status, f'the name {bad!r} is taken'
    same(run('rdma', 'dev', 'set', old, 'name', 'renamed')[0], 0)
    try:
        same(device(), 'renamed')
        assert Path('/sys/class/infiniband/renamed').exists()
        assert not Path('/sys/class/infiniband', old).exists()
        node = next(Path('/sys/class/infiniband_verbs').glob('uverbs*'))
        same((node / 'ibdev').read_text(), 'renamed\n')
        same(run('ibv_devinfo', '-d', 'renamed')[0], 0)
        with Holder() as holder:
            same(holder.of('qp')['ifname'], 'renamed')
    finally:
        run('rdma', 'dev', 'set', 'renamed', 'name', old)
    same(device(), old)


def only_admins_change():
    for words in (('dev', 'set', device(), 'name', 'mine'),
                  ('system', 'set', 'netns', 'exclusive')):
        status, text = run('rdma', *words, user=NOBODY)
        assert status and 'not permitted' in text, (words, status, text)
    same(system_modes()['netns'], 'shared')


def renames_and_churn():
    """A name that is being changed is the old one or the new one."""
    old, new = device(), 'a_name_that_is_longer_than_a_word'
    names = [old, new]
    node = next(Path('/sys/class/infiniband_verbs').glob('uverbs*'))

    def rename():
        names.reverse()
        status, text = run('rdma', 'dev', 'set', names[1], 'name', names[0])
        assert not status, text

    def read_name():
        for _ in range(100):
            name = (node / 'ibdev').read_text().strip()
            assert name in (old, new), name

    try:
        races(SECONDS, every_list, rename, read_name)
    finally:
        run('rdma', 'dev', 'set', new, 'name', old)
    same(device(), old)


def moderation():
    """The wish for adaptive moderation is kept, as the stock kernel does."""
    def now():
        return json.loads(run('rdma', '-j', '-d', 'dev')[1])[0].get(
            'adaptive-moderation')

    name = device()
    same(run('rdma', 'dev', 'set', name, 'adaptive-moderation', 'on')[0], 0)
    same(now(), True)
    same(run('rdma', 'dev', 'set', name, 'adaptive-moderation', 'off')[0], 0)
    assert not now()


def set_mode(mode):
    """Switch the mode; a deleted namespace still counts until the kernel has
    taken it apart, which it does in the background."""
    end = time.time() + 10
    while True:
        status, text = run('rdma', 'system', 'set', 'netns', mode)
        if not status:
            return
        assert time.time() < end, f'{mode}: {text}'
        time.sleep(0.2)


class Namespace:
    """Another network namespace, and exclusive mode."""

    def __enter__(self):
        set_mode('exclusive')
        same(run('ip', 'netns', 'add', 'other')[0], 0)
        return self

    def __exit__(self, *args):
        run('ip', 'netns', 'delete', 'other')
        set_mode('shared')

    @staticmethod
    def run(*words):
        return run('ip', 'netns', 'exec', 'other', *words)


def may_open(run_it):
    return not run_it('sh', '-c', ': < /dev/infiniband/uverbs0')[0]


def exclusive_mode():
    """A device is in one namespace, moves, and comes back with its end."""
    name = device()
    with Namespace() as other:
        same(system_modes()['netns'], 'exclusive')
        assert run('rdma', 'system', 'set', 'netns', 'shared')[0], 'not EBUSY'
        same(other.run('rdma', 'dev')[1].strip(), '')
        same((may_open(run), may_open(other.run)), (True, False))
        with Holder() as holder:
            same(run('rdma', 'dev', 'set', name, 'netns', 'other')[0], 0)
            # the file that was open has lost its device
            same([entry for entry in json.loads(other.run(
                'rdma', '-j', 'resource', 'show', 'qp')[1] or '[]')
                if entry.get('pid') == holder.pid], [])
        same(rdma('dev'), [])
        assert name in other.run('rdma', 'dev')[1]
        same((may_open(run), may_open(other.run)), (False, True))
    end = time.time() + 10
    while not rdma('dev') and time.time() < end:
        time.sleep(0.2)
    same(device(), name)
    same(system_modes()['netns'], 'shared')


def shared_mode():
    same(run('ip', 'netns', 'add', 'other')[0], 0)
    try:
        assert device() in Namespace.run('rdma', 'dev')[1]
        same(may_open(Namespace.run), True)
        status, _ = run('rdma', 'dev', 'set', device(), 'netns', 'other')
        assert status, 'moved in shared mode'
    finally:
        run('ip', 'netns', 'delete', 'other')


GROUPS = Path('/tmp/cgroup')


def used(group):
    """{resource: count} of a group."""
    for line in (group / 'rdma.current').read_text().splitlines():
        name, *words = line.split()
        if name == device():
            return {key: int(count) for key, count in
                    (word.split('=') for word in words)}
    return {'hca_handle': 0, 'hca_object': 0}


def hold_in(group):
    """Whether a process of the group can make its objects."""
    script = (f'echo $$ > {group}/cgroup.procs; '
              f'exec {HERE}/objects hold < /dev/null')
    return run('sh', '-c', script)


def charged_to_a_group():
    GROUPS.mkdir(exist_ok=True)
    if not os.path.ismount(GROUPS):
        same(run('mount', '-t', 'cgroup2', 'none', GROUPS)[0], 0)
    (GROUPS / 'cgroup.subtree_control').write_text('+rdma')
    group = GROUPS / 'test'
    group.mkdir(exist_ok=True)
    same(hold_in(group)[0], 0)
    same(used(group), {'hca_handle': 0, 'hca_object': 0})
    with Holder() as holder:
        (group / 'cgroup.procs').write_text(str(holder.pid))
    # charged to where it was made
    same(used(group), {'hca_handle': 0, 'hca_object': 0})

    # a context, and pd, mr, cq, srq, qp
    (group / 'rdma.max').write_text(
        f'{device()} hca_handle=1 hca_object=5\n')
    same(hold_in(group)[0], 0)
    for limit in ('hca_handle=0 hca_object=5', 'hca_handle=1 hca_object=4'):
        (group / 'rdma.max').write_text(f'{device()} {limit}\n')
        status, text = hold_in(group)
        assert status and 'temporarily unavailable' in text, (limit, text)
        same(used(group), {'hca_handle': 0, 'hca_object': 0})
    # 6.12 frees a group whose limits stay on the device's list, whatever the
    # stack: unregistering the device meets freed memory
    (group / 'rdma.max').write_text(
        f'{device()} hca_handle=max hca_object=max\n')
    group.rmdir()


CASES = (
    ('device and link', device_and_link),
    ('system', system),
    ('counts of objects', counts),
    ('fields of objects', fields),
    ('values of objects', values),
    ('objects by number and by process', by_number),
    ('a number that nobody has', unknown_number),
    ('keys are for administrators', keys_are_for_admins),
    ('objects of a killed process go', killed_owner),
    ('statistic', statistic),
    ('a device is renamed', renamed),
    ('adaptive moderation', moderation),
    ('only administrators change things', only_admins_change),
    ('namespaces, shared mode', shared_mode),
    ('namespaces, exclusive mode', exclusive_mode),
    ('objects are charged to a cgroup', charged_to_a_group),
    ('lists while objects come and go', lists_and_churn),
    ('renames while objects come and go', renames_and_churn),
)


def print_fields():
    with Holder() as holder:
        print('system', *sorted(system_modes()))
        for what in ('dev', 'link'):
            print(what, *sorted(rdma(what)[0]))
        for kind in TYPES:
            if kind != 'cm_id':
                print(kind, *sorted(holder.of(kind)))
                print('#', kind, holder.of(kind))


if __name__ == '__main__':
    if sys.argv[1:] == ['fields']:
        sys.exit(print_fields())
    SECONDS = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    os.environ['LC_ALL'] = 'C.UTF-8'
    sys.exit(tap.run(CASES))
