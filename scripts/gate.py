# SPDX-License-Identifier: GPL-2.0-only
"""What the gates share: the tree's files, the kernel's source, the verdict.

A gate is a program that prints one line per problem ("path:line: what is
wrong"), then one line that says what it looked at, and exits with status 1 if
there was a problem. check.sh runs them all.
"""
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / 'build'


def run(*command, cwd=ROOT):
    """Run a command, in the tree's root; its output is text."""
    return subprocess.run(command, cwd=cwd, text=True, errors='replace',
                          capture_output=True, check=False)


def fail(text, *advice):
    """End: the gate cannot do its work."""
    print(f'{Path(sys.argv[0]).name}: {text}', *advice, sep='\n  ',
          file=sys.stderr)
    sys.exit(2)


def tree(*patterns):
    """The tree's files that match a pattern, what git ignores left out."""
    out = run('git', 'ls-files', '-z', '--cached', '--others',
              '--exclude-standard', '--', *patterns).stdout
    paths = sorted(set(filter(None, out.split('\0'))))
    return [path for path in paths if (ROOT / path).is_file()]


def lib(command):
    """What a command prints that uses the bench's shell library."""
    answer = run('bash', '-c', f'. scripts/lib.sh; {command}')
    return answer.stdout.strip()


def kernel_source():
    """The kernel's source in the cache."""
    path = lib('cached source "$(scripts/setup/source.sh hash)"')
    if not path:
        fail('the kernel\'s source is not in the cache', 'run: make setup-test')
    return Path(path)


def verdict(problems, about):
    """Print the problems and what was looked at; end with the gate's status."""
    for problem in problems:
        print(problem)
    print(about)
    sys.exit(1 if problems else 0)
