#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Who may include whom.

The first row whose pattern matches a file is its rule: the rooms of the tree
that it may look into, and the outside headers it may use. What a header of
the tree includes counts for whoever includes it, so that nothing comes in by
the back door.
"""
import os
import re
from fnmatch import fnmatch

import gate

# User ABI headers of the kernel; the rest of <rdma/> is upstream's core.
ABI = ('rdma/ib_user_verbs.h', 'rdma/ib_user_ioctl_cmds.h',
       'rdma/ib_user_ioctl_verbs.h', 'rdma/rdma_user_ioctl_cmds.h',
       'rdma/rdma_user_ioctl.h', 'rdma/rdma_netlink.h', 'rdma/mlx5-abi.h',
       'rdma/mlx5_user_ioctl_cmds.h', 'rdma/mlx5_user_ioctl_verbs.h')
KERNEL = ('linux/*', 'asm/*', 'asm-generic/*', 'uapi/linux/*', 'net/*',
          'trace/*', 'generated/*')
KUNIT = ('kunit/*',)
WIRE = ('linux/types.h', 'asm/byteorder.h', 'linux/build_bug.h')
LIBC = ('[a-z]*.h', 'sys/*', 'arpa/*', 'netinet/*', 'linux/vfio.h',
        'linux/types.h', 'asm/byteorder.h')
VERBS_C = ('linux/*', 'rdma/*', 'infiniband/*')

API = ('include/ib/*', 'include/compat.h', 'uapi/*')
PRM = ('include/connectx/*',)

# file, rooms of the tree, headers from outside
RULES = (
    ('uapi/*', ('uapi/*',), ('linux/types.h', 'linux/ioctl.h') + ABI),
    ('include/compat.h', (), KERNEL),
    ('include/ib/*', API, KERNEL + ABI),
    ('include/connectx/*', PRM, WIRE),
    ('drivers/core/*', API + ('drivers/core/*',), KERNEL + ABI + KUNIT),
    ('drivers/uverbs/*', API + ('drivers/uverbs/*',), KERNEL + ABI + KUNIT),
    # The command transport knows the adapter and nothing of verbs.
    ('drivers/connectx/cmdq*', PRM + ('drivers/connectx/*',
                                      'include/compat.h'), KERNEL + KUNIT),
    ('drivers/connectx/cmd_*', PRM + ('drivers/connectx/*',
                                      'include/compat.h'), KERNEL + KUNIT),
    ('drivers/connectx/mailbox*', PRM + ('drivers/connectx/*',
                                         'include/compat.h'), KERNEL + KUNIT),
    ('drivers/connectx/pages*', PRM + ('drivers/connectx/*',
                                       'include/compat.h'), KERNEL + KUNIT),
    ('drivers/connectx/*', API + PRM + ('drivers/connectx/*',),
     KERNEL + ABI + KUNIT),
    ('samples/*', API, KERNEL + ABI),
    ('kunit/core/*', API + ('drivers/core/*', 'kunit/core/*',
                            'kunit/helpers/*'), KERNEL + ABI + KUNIT),
    ('kunit/uverbs/*', API + ('drivers/uverbs/*', 'kunit/uverbs/*',
                              'kunit/helpers/*'), KERNEL + ABI + KUNIT),
    ('kunit/connectx/*', API + PRM + ('drivers/connectx/*',
                                      'kunit/connectx/*', 'kunit/helpers/*'),
     KERNEL + ABI + KUNIT),
    ('kunit/helpers/fake_user.c', API + ('drivers/uverbs/*',
                                         'kunit/helpers/*'),
     KERNEL + ABI + KUNIT),
    ('kunit/*', API + ('kunit/*',), KERNEL + ABI + KUNIT),
    ('tools/vfu/*', ('tools/vfu/*',), LIBC),
    ('tools/cxmodel/transport_vfu.c',
     PRM + ('tools/cxmodel/*', 'tools/vfu/vfu.h'), LIBC),
    ('tools/cxmodel/*', PRM + ('tools/cxmodel/*',), LIBC),
    ('tools/testing/*', ('uapi/*', 'tools/testing/*'), LIBC + VERBS_C),
    ('tools/*', ('uapi/*', 'tools/*'), LIBC + VERBS_C),
    ('scripts/*', ('scripts/*',), LIBC + VERBS_C),
)

# Where a header is looked for, by the folder of the file that asks.
PATHS = (
    ('tools/cxmodel/', ('include', 'tools/vfu')),
    ('tools/', ('include', 'uapi')),
    ('kunit/core/', ('include', 'uapi', '.', 'kunit/helpers', 'drivers/core')),
    ('kunit/uverbs/', ('include', 'uapi', '.', 'kunit/helpers',
                       'drivers/uverbs')),
    ('kunit/connectx/', ('include', 'uapi', '.', 'kunit/helpers',
                         'drivers/connectx')),
    ('', ('include', 'uapi', '.')),
)

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.M)


def includes(path):
    """Yield (line number, header's path in the tree or None, its name)."""
    text = (gate.ROOT / path).read_text(errors='replace')
    folders = next(dirs for start, dirs in PATHS if path.startswith(start))
    for match in INCLUDE.finditer(text):
        kind, name = match.groups()
        where = ((os.path.dirname(path),) if kind == '"' else ()) + folders
        tries = [os.path.normpath(os.path.join(d, name)) for d in where]
        found = next((t for t in tries if (gate.ROOT / t).is_file()), None)
        yield text.count('\n', 0, match.start(2)) + 1, found, name


def reach(path, known):
    """Everything that comes with a file: {(in tree, name): (line, via)}."""
    if path in known:
        return known[path]
    known[path] = {}
    found = {}
    for line, inside, name in includes(path):
        found.setdefault((bool(inside), inside or name), (line, ''))
        if inside:
            for key in reach(inside, known):
                found.setdefault(key, (line, f' (through {inside})'))
    known[path] = found
    return found


def main():
    problems, count, known = [], 0, {}
    files = gate.tree('*.c', '*.h')
    for path in files:
        rule = next((r for r in RULES if fnmatch(path, r[0])), None)
        if not rule:
            problems.append(f'{path}:1: no rule for this place in '
                            'scripts/check-includes.py')
            continue
        for (inside, name), (line, via) in reach(path, known).items():
            count += 1
            # What a header of the tree takes from outside is its own affair.
            if via and not inside:
                continue
            if not any(fnmatch(name, p) for p in rule[1 if inside else 2]):
                problems.append(f'{path}:{line}: {rule[0]} may not include '
                                f'{name}{via}')
    gate.verdict(problems, f'{count} includes of {len(files)} files')


main()
