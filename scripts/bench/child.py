# SPDX-License-Identifier: GPL-2.0-only
"""A process that does not outlive the bench."""

import ctypes
import signal
import subprocess

PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)


def _die_with_parent():
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Child:
    """A running program, its own process group unless it has the terminal."""

    def __init__(self, argv, terminal=False, **streams):
        self.process = subprocess.Popen(
            [str(word) for word in argv], preexec_fn=_die_with_parent,
            start_new_session=not terminal, **streams)

    def running(self):
        """Is it still there?"""
        return self.process.poll() is None

    def wait(self, seconds):
        """Wait for its end; False when it is still there."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def stop(self):
        """End it, kindly at first."""
        if not self.running():
            return
        self.process.terminate()
        if not self.wait(3):
            self.process.kill()
            self.process.wait()
