# SPDX-License-Identifier: GPL-2.0-only
"""Steps that passed on what they read, so that a long run can go on."""
import hashlib
import json
import subprocess


def tree_of(root, without=()):
    """The id of a clean working tree but for some paths, '' for any other."""
    def git(*words):
        done = subprocess.run(['git', '-C', root, *words], check=False,
                              capture_output=True, text=True)
        return None if done.returncode else done.stdout
    status = git('status', '--porcelain')
    files = git('ls-tree', '-r', 'HEAD')
    if status is None or files is None or status.strip():
        return ''
    read = [line for line in files.splitlines()
            if not line.partition('\t')[2].startswith(tuple(without))]
    return hashlib.sha256('\n'.join(read).encode()).hexdigest()


class Passed:
    """What came of steps, kept in a file with the tree that each has read."""

    def __init__(self, path):
        self.path = path
        try:
            self.steps = json.loads(path.read_text())
        except (OSError, ValueError):
            self.steps = {}

    def keep(self, name, tree, passed, skipped):
        """A step passed: count, names of skipped cases."""
        if tree:
            self.steps[name] = [tree, passed, list(skipped)]
            self._write()

    def drop(self, name):
        """A step is run again."""
        if self.steps.pop(name, None):
            self._write()

    def find(self, name, tree):
        """(count, names of skipped cases) of a step on this tree, or None."""
        kept = self.steps.get(name)
        if not kept or not tree or kept[0] != tree:
            return None
        return kept[1], tuple(kept[2])

    def _write(self):
        aside = self.path.with_suffix('.new')
        aside.write_text(json.dumps(self.steps))
        aside.replace(self.path)
