#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""The documentation is reStructuredText without a warning.

docutils parses each .rst file of the tree; what it says of it, from a warning
on, is a problem. Roles and directives of Sphinx are not known here: no file
needs them. --self-test plants errors.
"""
import io
import re
import sys

import gate

try:
    from docutils.core import publish_doctree
except ImportError:
    gate.fail('no docutils', 'run: scripts/setup.sh host')

WARNING, NEVER = 2, 5
SETTINGS = {'report_level': WARNING, 'halt_level': NEVER,
            'file_insertion_enabled': False, 'raw_enabled': False,
            '_disable_config': True}


def problems_of(path, text):
    """What docutils says of a file, a line for each."""
    said = io.StringIO()
    publish_doctree(text, source_path=path,
                    settings_overrides={**SETTINGS, 'warning_stream': said})
    found = re.finditer(r'^([^:\n]*):(\d*):? (\(\w+/\d\) .*)$',
                        said.getvalue(), re.M)
    # it repeats what it says of a heading
    return list(dict.fromkeys(f'{path}:{match[2] or 1}: {match[3]}'
                              for match in found))


# a file, and whether it has a problem
TITLE = '=====\nTitle\n=====\n\n'
PLANTED = (
    (TITLE + 'Some ``text``, and `Title`_.\n', False),
    (TITLE + 'Section\n=====\n\ntext\n', True),
    # two halves of a merge: a heading left and its text gone
    (TITLE + 'How it is done.\n=======\nWords\n=====\n\ntext\n', True),
    (TITLE + 'Words that have\n=====\nA heading\n=========\n', True),
    ('.. list-table::\n\n   * - one\n     - two\n   * - one\n', True),
    ('====  ===\na     b\nlong words\n====  ===\n', True),
    ('see `nowhere`_\n', True),
    ('``open\n', True),
    (':ref:`x`\n', True),
    ('.. toctree::\n', True),
)


def self_test():
    problems = []
    for text, want in PLANTED:
        got = problems_of('planted.rst', text)
        if bool(got) != want:
            problems.append(f'self-test: {got}, planted: {text!r}')
    gate.verdict(problems, f'{len(PLANTED)} planted cases')


def main():
    if '--self-test' in sys.argv:
        self_test()
    files = gate.tree('*.rst')
    gate.verdict([problem for path in files for problem in
                  problems_of(path, (gate.ROOT / path).read_text())],
                 f'{len(files)} files')


main()
