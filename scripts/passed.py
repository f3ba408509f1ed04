# SPDX-License-Identifier: GPL-2.0-only
"""Steps that passed on the tree as it is, so that a long run can go on."""
import json
import subprocess


def tree_of(root):
    """The id of a clean working tree, '' for any other."""
    def git(*words):
        return subprocess.run(['git', '-C', root, *words], check=False,
                              capture_output=True, text=True)
    status = git('status', '--porcelain')
    tree = git('rev-parse', 'HEAD^{tree}')
    if status.returncode or tree.returncode or status.stdout.strip():
        return ''
    return tree.stdout.strip()


class Passed:
    """{step: what came of it}, kept in a file, for one tree."""

    def __init__(self, path, tree):
        self.path = path
        self.tree = tree
        self.steps = {}
        try:
            kept = json.loads(path.read_text())
        except (OSError, ValueError):
            return
        if tree and kept.get('tree') == tree:
            self.steps = kept['steps']

    def keep(self, name, passed, skipped):
        """A step passed: (count, names of skipped cases)."""
        self.steps[name] = [passed, list(skipped)]
        self._write()

    def drop(self, name):
        """A step is run again."""
        if self.steps.pop(name, None):
            self._write()

    def _write(self):
        if not self.tree:
            return
        aside = self.path.with_suffix('.new')
        aside.write_text(json.dumps({'tree': self.tree,
                                     'steps': self.steps}))
        aside.replace(self.path)
