# SPDX-License-Identifier: GPL-2.0-only
"""An adapter: one process of the model and its control socket."""

import json
import shlex
import socket
import time

from .child import Child
from .settings import BenchError

ANSWER_TIMEOUT = 15


class Model:
    """A running adapter."""

    def __init__(self, settings, index, run, logs):
        self.socket = run / f"hca{index}.sock"
        self.control = run / f"hca{index}.ctl"
        self.log = logs / f"hca{index}.log"
        if not settings.model.exists():
            raise BenchError(f"{settings.model} is not there\n"
                             "  run: make model")
        with open(self.log, "wb") as log:
            self.child = Child(
                [settings.model, "--socket", self.socket, "--control",
                 self.control, "--stay", "--check", *shlex.split(settings.model_args)],
                stdout=log, stderr=log)
        self._wait_for_socket()

    def _wait_for_socket(self):
        end = time.monotonic() + 10
        while not self.socket.exists():
            if not self.child.running() or time.monotonic() > end:
                self.child.stop()
                raise BenchError("the model does not start:\n"
                                 + self.tail())
            time.sleep(0.01)

    def tail(self):
        """The last lines of its log, to be shown."""
        lines = self.log.read_text(errors="replace").splitlines()[-15:]
        return "\n".join("  | " + line for line in lines)

    def ask(self, command):
        """One command to the control socket, its line of answer."""
        try:
            with socket.socket(socket.AF_UNIX) as sock:
                sock.settimeout(ANSWER_TIMEOUT)
                sock.connect(str(self.control))
                sock.sendall(command.encode() + b"\n")
                with sock.makefile() as answer:
                    return answer.readline().strip() or '{"error":"no answer"}'
        except OSError as error:
            return json.dumps({"error": f"control socket: {error}"})

    def stop(self):
        """End it."""
        self.child.stop()
