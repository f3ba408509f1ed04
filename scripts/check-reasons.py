#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Every reason why memory is refused is in the table of errors.

The texts of refusals are read from the sources of registration (SOURCES), the
words that follow a text behind a colon from the tables of words (WORDS). Each
has to stand in the tables of memory-registration.rst, section "Errors", with
the call's errno and layer, where the call says them; numbers are N there. The
other way round, what stands there has to be a refusal of some source.
scripts/reasons-exempt.txt names texts that no call of a user ends with, each
with its reason. --self-test plants errors.
"""
import re
import sys
from dataclasses import dataclass

import gate

try:
    from docutils import nodes
    from docutils.core import publish_doctree
except ImportError:
    gate.fail('no docutils', 'run: scripts/setup.sh host')

TABLE = 'Documentation/memory-registration.rst'
EXEMPT = 'scripts/reasons-exempt.txt'
SOURCES = ('drivers/core/umem*.c', 'drivers/core/mr.c', 'drivers/core/mw.c',
           'drivers/core/dm.c', 'drivers/core/object.c',
           'drivers/uverbs/mr_reg.c',
           'drivers/uverbs/obj_mr.c', 'drivers/uverbs/obj_mw.c',
           'drivers/uverbs/obj_dm.c', 'drivers/connectx/mr*.c',
           'drivers/connectx/mkey_pool.c', 'drivers/connectx/mw.c',
           'drivers/connectx/dm*.c', 'drivers/connectx/odp*.c',
           'drivers/connectx/umr*.c', 'drivers/connectx/cmd_memic.c',
           'drivers/connectx/cmd_odp.c', 'drivers/connectx/cmdq.c',
           'drivers/connectx/mailbox.c', 'drivers/connectx/refuse.c')

# Where words are that follow a text: errno (or nothing), the words
WORDS = {
    'drivers/core/umem_why.c': r'(?:return|true,|false,)(\s+)"([^"]+)"',
    'drivers/core/umem_odp.c': r'(?:\{ -(E\w+),|what =)\s+"([^"]+)"',
    'drivers/core/umem_pin.c': r'lacks =( )"([^"]+)"',
    'drivers/connectx/cmd_status.c': r'CX_STATUS_\w+, -(E\w+), "([^"]+)"',
}

CALL = re.compile(r'\b(\w*refuse\w*|lacks|ib_object_check)\(')
COMMENT = re.compile(r'/\*.*?\*/', re.S)
STRING = re.compile(r'"((?:\\.|[^"\\])*)"')
LAYER_NAMES = {'uverbs', 'core', 'umem', 'driver', 'firmware'}
# functions whose name begins so refuse for a layer
LAYERS = (('cx_refuse', 'driver'), ('uverbs_', 'uverbs'), ('lacks', 'uverbs'),
          ('ib_refuse_ptr', 'core'), ('ib_object_', 'core'))


@dataclass(frozen=True)
class Refusal:
    """A text, or words behind one, as the tables have them."""
    path: str
    line: int
    text: str
    errnos: frozenset = frozenset()
    layer: str = ''
    words: bool = False


@dataclass(frozen=True)
class Entry:
    """One of a row's texts."""
    text: str
    errnos: frozenset
    layers: frozenset


def arguments(text, start):
    """The arguments of the call whose parenthesis ends at @start."""
    args, depth, i, begin = [], 1, start, start
    while depth:
        string = STRING.match(text, i)
        if string:
            i = string.end()
            continue
        depth += {'(': 1, ')': -1}.get(text[i], 0)
        if not depth or (depth == 1 and text[i] == ','):
            args.append(text[begin:i])
            begin = i + 1
        i += 1
    return args


def plain(literals):
    """A format as the tables have it."""
    text = ''.join(STRING.findall(literals))
    return re.sub(r'%(?:ll|l|z)?[dux]', 'N', text)


def layer_of(name, args):
    found = re.search(r'IB_LAYER_(\w+)', ' '.join(args))
    if found:
        return found[1].lower()
    return next((layer for start, layer in LAYERS if name.startswith(start)),
                '')


def refusals(path, text):
    """Yield the texts of a file's refusals, and its words."""
    text = COMMENT.sub(lambda m: '\n' * m[0].count('\n'), text)
    for call in CALL.finditer(text):
        args = arguments(text, call.end())
        with_text = [arg for arg in args if '"' in arg]
        if not with_text:
            continue
        detail = ''.join(': ' + plain(arg) for arg in with_text[1:])
        errnos = frozenset(re.findall(r'-(E[A-Z0-9]+)\b', ' '.join(
            arg for arg in args if '"' not in arg and '==' not in arg)))
        for part in re.split(r'\s:\s', with_text[0].split('?')[-1]):
            yield Refusal(path, text.count('\n', 0, call.start()) + 1,
                          plain(part) + detail, errnos,
                          layer_of(call[1], args))
    for match in re.finditer(WORDS.get(path, r'(?!)()'), text):
        errno = (match[1] or '').strip()
        yield Refusal(path, text.count('\n', 0, match.start()) + 1, match[2],
                      frozenset([errno] if errno else []), words=True)


def entries(text):
    """The texts of the tables in the section of errors."""
    doc = publish_doctree(text, settings_overrides={
        'report_level': 5, 'doctitle_xform': False, '_disable_config': True})
    for section in doc.findall(nodes.section):
        if section[0].astext() != 'Errors':
            continue
        for row in section.findall(nodes.row):
            cells = [' '.join(cell.astext().split()) for cell in row]
            heads = cells[0].replace(',', '').split()
            if heads == ['errno', 'layer']:
                continue
            layers = frozenset(heads) & LAYER_NAMES
            first = None
            for one in cells[1].split(' | '):
                if one.startswith('...: '):
                    one = first.rsplit(': ', 1)[0] + one[3:]
                first = first or one
                yield Entry(one, frozenset(heads) - layers, layers)


def fits(refusal, entry, tail=r'(?:: .*)?'):
    """Is it this text?"""
    want = r'(?:N\b|\d+)'.join(map(re.escape, re.split(r'\bN\b|(?<=0x)N\b',
                                                      refusal.text)))
    if refusal.words:
        return entry.text.endswith(': ' + refusal.text)
    return bool(re.fullmatch(want + tail, entry.text))


def said(entry, found):
    """Is this text, with its words, of some source?"""
    words = '|'.join(re.escape(one.text) for one in found if one.words)
    return any(fits(one, entry, f'(?:: (?:{words}))?') for one in found
               if not one.words)


def judge_one(refusal, table):
    found = [entry for entry in table if fits(refusal, entry)]
    place = f'{refusal.path}:{refusal.line}'
    if not found:
        return f'{place}: not in {TABLE}: {refusal.text}'
    if refusal.layer and not any(refusal.layer in entry.layers
                                 for entry in found):
        return f'{place}: {refusal.layer} says: {refusal.text}'
    errnos = frozenset().union(*(entry.errnos for entry in found))
    lost = refusal.errnos - errnos
    if lost and 'any' not in errnos:
        return f'{place}: also {", ".join(sorted(lost))}: {refusal.text}'
    return None


def exemptions():
    rows = set()
    for line in (gate.ROOT / EXEMPT).read_text().splitlines():
        if line and not line.startswith('#'):
            name, _, reason = line.partition('  ')
            if not reason.strip():
                gate.fail(f'{EXEMPT}: path: text, two spaces, and a reason: '
                          f'{line}')
            rows.add(name)
    return rows


def judge(found, table, exempt, others=()):
    """The problems; what the table has may be of other sources, too."""
    problems, used = [], set()
    for refusal in found:
        problem = judge_one(refusal, table)
        key = f'{refusal.path}: {refusal.text}'
        if problem and key in exempt:
            used.add(key)
        elif problem:
            problems.append(problem)
    problems += [f'{EXEMPT}: not needed: {key}'
                 for key in sorted(exempt - used)]
    problems += [f'{TABLE}: no source says: {entry.text}' for entry in table
                 if not said(entry, (*found, *others))]
    return list(dict.fromkeys(problems))


# Source, the first two cells of a row, how many problems
PLANTED = (
    ('ib_refuse(IB_LAYER_UMEM, -EIO, "%llu of 0x%llx", 1, 2)',
     'EIO umem', 'N of 0xN', 0),
    ('ib_refuse(IB_LAYER_UMEM, -EIO, "%llu of "\n "0x%llx", 1, 2)',
     'EIO umem', 'N of 0x200: words', 0),
    ('ib_refuse(IB_LAYER_UMEM, -EIO, "%llu of it", 1, 2)',
     'EIO umem', 'N of it all', 2),
    ('ib_refuse(IB_LAYER_UMEM, -EIO, "gone", 1, 2)', 'EIO core', 'gone', 1),
    ('ib_refuse(IB_LAYER_UMEM, -EIO, "gone", 1, 2)', 'EPERM umem', 'gone', 1),
    ('ib_refuse(IB_LAYER_UMEM, -EIO, "gone", 1, 2)', 'any umem', 'gone', 0),
    ('uverbs_refuse(ret, ret == -EIO ? "this" : "that")', 'EIO uverbs',
     'this | that', 0),
    ('uverbs_refuse(ret, ret == -EIO ? "this" : "that")', 'EIO uverbs',
     'that', 1),
    ('cx_refuse(x ? -EIO : -EPERM, "no", f(1, 2), 0)', 'EIO, EPERM driver',
     'no', 0),
    ('ib_refuse_numbers(IB_LAYER_UMEM, ret, "page %llu", 1, 0, 0, 0, "again")',
     'EIO umem', 'page N', 2),
    ('cx_refuse(-EIO, "one", 0, 0); /* "two" */', 'EIO driver',
     'one | two', 1),
    ('ib_refuse_detail(IB_LAYER_UMEM, r, "at %llu", 1, 2, what)', 'EIO umem',
     'at N: words | ...: that', 1),
)


def self_test():
    problems = []
    word = Refusal('x.c', 1, 'words', words=True)
    for source, errno, texts, want in PLANTED:
        rst = ('Errors\n======\n\n.. list-table::\n\n'
               f'   * - {errno}\n     - {texts}\n     - why\n')
        got = judge([*refusals('x.c', source), word], [*entries(rst)],
                    {'x.c: words'} if ': words' not in texts else set())
        if len(got) != want:
            problems.append(f'self-test: {len(got)} of {want}: {source}: '
                            f'{got}')
    gone = [Refusal('x.c', 1, 'gone')]
    if judge(gone, [], {'x.c: gone'}) or not judge(gone, [], {'x.c: here'}):
        problems.append('self-test: exemptions')
    gate.verdict(problems, f'{len(PLANTED) + 1} planted cases')


def main():
    if '--self-test' in sys.argv:
        self_test()

    def read(*patterns):
        return [one for path in gate.tree(*patterns)
                for one in refusals(path, (gate.ROOT / path).read_text())]

    found = read(*SOURCES, *WORDS)
    table = [*entries((gate.ROOT / TABLE).read_text())]
    exempt = exemptions()
    gate.verdict(judge(found, table, exempt, read('drivers/*.c')),
                 f'{len(found)} refusals, {len(table)} texts in the table, '
                 f'{len(exempt)} exempt')


main()
