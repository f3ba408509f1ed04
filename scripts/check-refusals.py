#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Every error path of the modules records why.

Two things are problems in a function of drivers/, samples/ or include/:

- an errno that begins there (-EINVAL as a value) and is no argument of a
  function that records it: ib_refuse() and those with "refuse" in their name;
- an errno that a function of the kernel gave (xa_alloc(), pin_user_pages())
  and that leaves the function although nothing recorded it.

To compare with an errno is neither. scripts/refusals-exempt.txt names the
functions that serve no call of a user, each with its reason; a row that is
not needed is a problem too. --self-test plants errors.
"""
import re
import sys
from dataclasses import dataclass

import gate

FILES = ('drivers/*.c', 'drivers/*.h', 'include/ib/*.h', 'include/compat.h',
         'samples/*.c')
EXEMPT = gate.ROOT / 'scripts' / 'refusals-exempt.txt'

# A function of ours that records the errno it is given, under another name.
RECORDS = ('cx_udata_read',)
# Functions of the kernel that give no errno, and nla_put(): netlink goes on
# with another message when one is full.
NEUTRAL = re.compile(
    r'(?:min|max)(?:3|_t)?$|clamp|sizeof|container_of|smp_load_acquire|ilog2|'
    r'is_err|err_ptr|ptr_err$|err_cast|find_\w+_bit|sysfs_emit|xa_(?:load|erase|'
    r'find)|list_|(?:k|kv|v|kvm?z?|km?z?)[cm]?alloc|dma_\w*alloc|kmemdup|'
    r'alloc_page|alloc_\w*workqueue|nla_(?:put|nest|get)|nlmsg_(?:put|new)|'
    r'\w*_pow_of_two|container_of|to_\w+|copy_(?:to|from)_user$', re.I)
# These say how to go on, not what is wrong.
NO_REFUSAL = ('-EMSGSIZE', '-ERESTARTSYS', '-ENOIOCTLCMD')

TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'
                   r"'(?:\\.|[^'\\\n])'", re.S)
FUNCTION = re.compile(r'^(?![\s#}])([^;{}=]*?)\b(\w+)\(([^;{}]*)\)[^;{}()]*\n'
                      r'\{\n(.*?)^\}', re.M | re.S)
MACRO = re.compile(r'^#define (\w+)\(((?:.*\\\n)*.*)', re.M)
ERRNO = re.compile(r'(?<![\w)])-E[A-Z][A-Z0-9]+\b')
COMPARED = re.compile(r'(?:[=!]=|[<>]=?|\bcase)\s*$')
GIVEN = re.compile(r'([\w.>-]+(?<!-))\s*=\s*(\w+)\(')
RETURNED = re.compile(r'\breturn (\w+)\(')


@dataclass(frozen=True)
class Function:
    """A function's head and body, without comments and strings."""
    path: str
    name: str
    line: int           # of the body's first line
    returns: str
    body: str


def blank(match):
    """What replaces a comment or a string; lines stay where they are."""
    text = match.group()
    return '""' if text[0] == '"' else ' ' + '\n' * text.count('\n')


def functions(path, text):
    """Yield the functions and function-like macros of a file."""
    text = TOKEN.sub(blank, text)
    for match in FUNCTION.finditer(text):
        yield Function(path, match[2], text.count('\n', 0, match.start(4)) + 1,
                       match[1].strip(), match[4])
    for match in MACRO.finditer(text):
        yield Function(path, match[1], text.count('\n', 0, match.start()) + 1,
                       'int', match[2])


def callers(body, end):
    """Names of the calls that a place in a body is an argument of."""
    names, depth = [], 0
    for i in range(end - 1, -1, -1):
        if body[i] == ')':
            depth += 1
        elif body[i] == '(' and depth:
            depth -= 1
        elif body[i] == '(':
            names.append(re.search(r'(\w*)\s*$', body[:i])[1])
        elif body[i] in ';{}' and not depth:
            break
    return names


def records(name):
    return 'refuse' in name or name in RECORDS


def begun(function):
    """Yield (offset, problem) of errnos that begin here unrecorded."""
    for match in ERRNO.finditer(function.body):
        before = function.body[:match.start()]
        if COMPARED.search(before) or match.group() in NO_REFUSAL:
            continue
        if not any(map(records, callers(function.body, match.start()))):
            yield match.start(), f'{match.group()} without a reason'


def closing(body, start):
    """Behind the parenthesis that closes the one before @start."""
    depth = 1
    for i in range(start, len(body)):
        depth += {'(': 1, ')': -1}.get(body[i], 0)
        if not depth:
            return i + 1
    return len(body)


def leaves(body, start, name):
    """Does an errno in a variable leave the function with no record?"""
    var = re.escape(name)
    again = re.search(rf'(?<![\w.>]){var}\s*=[^=]', body[start:])
    life = body[start:start + again.start()] if again else body[start:]
    if 'refuse' in life:
        return False
    error = rf'(?:IS_ERR\({var}\)|{var}(?: < 0)?)'
    return bool(re.search(rf'if \({error}\)\s*{{?[^;]*?\b(?:goto|return)\b|'
                          rf'\breturn {var};|(?:PTR_ERR\w*|ERR_CAST)\({var}\)',
                          life))


def foreign(callee, ours):
    """May this be a function of the kernel that gives an errno?"""
    return not (callee in ours or callee.isupper() or NEUTRAL.match(callee))


def given(function, ours):
    """Yield (offset, problem) of the kernel's errnos that go on unrecorded."""
    if re.search(r'\b(?:bool|void|u\d+|(?!ssize)\w+_t)$', function.returns):
        return
    for match in GIVEN.finditer(function.body):
        var, callee = match.groups()
        end = closing(function.body, match.end())
        if foreign(callee, ours) and leaves(function.body, end, var):
            yield match.start(), f'the errno of {callee}() goes on without ' \
                                 'a reason'
    if not re.search(r'\b(?:int|long|ssize_t)$', function.returns):
        return
    for match in RETURNED.finditer(function.body):
        callee = match[1]
        if foreign(callee, ours) and not records(callee):
            yield match.start(), f'the errno of {callee}() is returned ' \
                                 'without a reason'


def exemptions():
    """{path:function} whose errnos need no reason."""
    rows = set()
    for line in EXEMPT.read_text().splitlines():
        if line and not line.startswith('#'):
            name, _, reason = line.partition('  ')
            if not reason.strip() or '*' in name or ':' not in name:
                gate.fail(f'{EXEMPT.name}: path:function, two spaces, and a '
                          f'reason: {line}')
            rows.add(name)
    return rows


def judge(all_functions, exempt, ours):
    """The problems of some functions."""
    problems, used = [], set()
    for f in all_functions:
        found = [*begun(f), *given(f, ours)]
        key = f'{f.path}:{f.name}'
        if found and key in exempt:
            used.add(key)
            continue
        for offset, what in sorted(found):
            line = f.line + f.body.count('\n', 0, offset)
            problems.append(f'{f.path}:{line}: {f.name}: {what}')
    problems += [f'{EXEMPT.name}: not needed: {name}'
                 for name in sorted(exempt - used)]
    return problems


# Bodies of a function, and how many problems are in it
PLANTED = (
    ('\treturn -EINVAL;\n', 1),
    ('\treturn ib_refuse(IB_LAYER_CORE, -EINVAL, "no -EPERM", 0, 0);\n', 0),
    ('\treturn uverbs_refuse_attr(id, -EINVAL,\n\t\t\t"%llu", f(1), 0);\n',
     0),
    ('\tret = -ENOMEM;\n\tgoto err_free;\n', 1),
    ('\treturn ERR_PTR(-ENOMEM);\n', 1),
    ('\treturn ERR_PTR(ib_refuse(0, -ENOMEM, "no", 0, 0));\n', 0),
    ('\treturn ours(ib_refuse(0, -EIO, "no", 0, 0), -EIO);\n', 1),
    ('\treturn ok ? 0 : -EIO;\n', 1),
    ('\tif (ret == -EAGAIN || ret != -EINTR)\n\t\treturn 0;\n', 0),
    ('\t/* return -EINVAL; */\n\treturn 0; // -EIO\n', 0),
    ('\treturn refuse(ib(1), 2) ?: -EIO;\n', 1),
    ('\tret = xa_alloc(&xa, &id, p);\n\tif (ret)\n\t\tgoto err;\n', 1),
    ('\tret = xa_alloc(&xa, &id, p);\n\treturn ret;\n', 1),
    ('\tret = xa_alloc(&xa, &id, p);\n\tif (ret < 0)\n'
     '\t\treturn uverbs_refuse(ret, "no");\n', 0),
    ('\tret = xa_alloc(&xa, &id, p);\n\tret = ours();\n\tif (ret)\n'
     '\t\treturn ret;\n', 0),
    ('\tp = memdup_user(q, n);\n\tif (IS_ERR(p))\n\t\treturn PTR_ERR(p);\n',
     1),
    ('\tret = ours(1);\n\tif (ret)\n\t\treturn ret;\n', 0),
    ('\tp = kzalloc(n, GFP_KERNEL);\n\tif (!p)\n\t\tgoto err;\n', 0),
    ('\treturn io_remap_pfn_range(vma, a, b, c, d);\n', 1),
    ('\treturn ours(a);\n', 0),
)


def self_test():
    """Plant each body, and exempt a function that does nothing wrong."""
    problems = []
    for body, want in PLANTED:
        text = f'static int planted(struct x *x,\n\t\t  int y)\n{{\n{body}}}\n'
        got = judge(functions('planted.c', text), set(), {'ours'})
        if len(got) != want:
            problems.append(f'self-test: {len(got)} found, {want} planted: '
                            f'{body.strip()}')
    clean = 'int f(void)\n{\n\treturn 0;\n}\n'
    if len(judge(functions('f.c', clean), {'f.c:f'}, set())) != 1:
        problems.append('self-test: an exemption that is not needed')
    if judge(functions('f.c', clean.replace('0', '-EIO')), {'f.c:f'}, set()):
        problems.append('self-test: an exemption does not work')
    gate.verdict(problems, f'{len(PLANTED) + 2} planted cases')


def main():
    if '--self-test' in sys.argv:
        self_test()
    found = [f for path in gate.tree(*FILES)
             for f in functions(path, (gate.ROOT / path).read_text())]
    exempt = exemptions()
    gate.verdict(judge(found, exempt, {f.name for f in found}),
                 f'{len(found)} functions, {len(exempt)} exempt')


main()
