# SPDX-License-Identifier: GPL-2.0-only
"""One run of the guest, from the models' start to the verdict."""

import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

from . import klog, machine
from .child import Child
from .model import Model
from .settings import BUILD, ROOT, BenchError

# Statuses of the bench's own; others are the command's.
STATUS_BENCH = 96	# the bench, QEMU or the model failed
STATUS_CENSUS = 97	# objects are left in the adapter
STATUS_KERNEL = 98	# the guest's kernel reported a bug, or died
STATUS_TIMEOUT = 124

KEPT_LOGS = 100


def say(text):
    """A line of the bench's own, apart from the guest's output."""
    print(f"verbena: {text}", file=sys.stderr, flush=True)


class Run:
    """A run: its folders, its processes, and what came of it."""

    def __init__(self, settings, output=None):
        self.settings = settings
        self.output = output
        stamp = time.strftime("%m%d-%H%M%S")
        name = f"{stamp}-{settings.stack}-{settings.kernel}-{os.getpid()}"
        self.logs = BUILD / "logs" / name
        self.models = []
        self.qemu = None
        self.run = None
        self.status = None
        self.left = None
        self.violations = 0

    def _prepare(self):
        self._sweep()
        self.logs.mkdir(parents=True)
        # renamed into place: other runs do the same at the same time
        last = self.logs / "last"
        last.symlink_to(self.logs.name)
        last.rename(BUILD / "logs" / "last")
        # short: a socket's path has 107 characters
        self.run = pathlib.Path(
            tempfile.mkdtemp(prefix=f"verbena-{os.getpid()}-"))
        shutil.copytree(ROOT / "scripts" / "guest", self.run,
                        dirs_exist_ok=True)
        (self.run / "ctl").mkdir()
        tools = BUILD / "verbs-why"
        if tools.exists():
            shutil.copytree(tools, self.run / "bin")
        s = self.settings
        size = shutil.get_terminal_size() if sys.stdin.isatty() else ("", "")
        env = {"STACK": s.stack, "KERNEL": s.kernel, "HCAS": s.hcas,
               "KEEP": s.keep,
               "COLS": size[0], "ROWS": size[1],
               "GUEST_TERM": os.environ.get("TERM", "dumb")}
        (self.run / "env").write_text("".join(
            f"{name}={shlex.quote(str(value))}\n"
            for name, value in env.items()))
        with open(self.run / "fstab", "a", encoding="ascii") as table:
            table.write(machine.fstab(s, self.run))
        if s.cmd:
            (self.run / "cmd").write_text(s.cmd + "\n")

    @staticmethod
    def _sweep():
        """Remove the folders of runs that were killed, and old logs."""
        for folder in pathlib.Path(tempfile.gettempdir()).glob("verbena-*-*"):
            owner = folder.name.split("-")[1]
            if not pathlib.Path("/proc", owner).exists():
                shutil.rmtree(folder, ignore_errors=True)
        old = sorted((BUILD / "logs").glob("*-*-*-*-*"),
                     key=lambda folder: folder.stat().st_mtime)
        for folder in old[:-KEPT_LOGS]:
            shutil.rmtree(folder, ignore_errors=True)

    def _start(self):
        if self.settings.stack == "ours":
            self._check_modules()
        for index in range(self.settings.hcas):
            self.models.append(Model(self.settings, index, self.run,
                                     self.logs))
        argv = machine.command_line(self.settings, self.models, self.run,
                                    self.logs)
        (self.logs / "qemu.sh").write_text(shlex.join(map(str, argv)) + "\n")
        shell = not self.settings.cmd
        with open(self.logs / "qemu.log", "wb") as log:
            # An input at its end would close the port of the output too.
            self.qemu = Child(argv, terminal=shell, stderr=log,
                              stdin=None if shell else subprocess.PIPE,
                              stdout=self.output,
                              env={**os.environ, "TMPDIR": str(self.run)})

    def _check_modules(self):
        connectx = self.settings.modules / "drivers/connectx/connectx.ko"
        if not connectx.exists():
            raise BenchError(f"{connectx} is not there\n  run: make modules "
                             f"KERNEL={self.settings.kernel}")

    def _answer(self, request):
        """Pass a request of cxctl in the guest to its model."""
        hca, _, command = request.read_text().strip().partition(" ")
        if hca.isdigit() and int(hca) < len(self.models):
            answer = self.models[int(hca)].ask(command)
        else:
            answer = json.dumps({"error": f"there is no adapter {hca}"})
        part = request.with_suffix(".part")
        part.write_text(answer + "\n")
        request.unlink()
        part.rename(request.with_suffix(".ans"))

    def _watch(self):
        end = None
        if self.settings.cmd:
            end = time.monotonic() + self.settings.timeout
        while not self.qemu.wait(0.02):
            for request in (self.run / "ctl").glob("*.req"):
                self._answer(request)
            for index, model in enumerate(self.models):
                if not model.child.running():
                    raise BenchError(f"the model of adapter {index} ended:\n"
                                     + model.tail())
            if end and time.monotonic() > end:
                say(f"TIMEOUT of {self.settings.timeout} s is over")
                self.status = STATUS_TIMEOUT
                return

    def _read_status(self):
        file = self.run / "status"
        if self.status is not None:
            return
        if file.exists():
            self.status = int(file.read_text())
        elif self.console().strip():
            say("the guest died before its end")
            self.status = STATUS_KERNEL
        else:
            log = (self.logs / "qemu.log").read_text(errors="replace")
            raise BenchError("QEMU does not start the guest:\n" + log)

    def _read_census(self):
        files = sorted(self.run.glob("census.*"))
        if not files or not self.settings.hcas:
            return
        counts = []
        for file in files:
            try:
                census = json.loads(file.read_text())
                counts.append(int(census["total"]))
                self.violations += int(census.get("violations", 0))
            except (ValueError, KeyError):
                raise BenchError(f"no census from the model: "
                                 f"{file.read_text().strip()}") from None
        self.left = sum(counts)

    def console(self):
        """The guest's kernel log, and what else its kernel found."""
        log = self.logs / "console.log"
        text = log.read_text(errors="replace") if log.exists() else ""
        leaks = self.run / "leaks"
        if leaks.exists() and leaks.stat().st_size:
            text += leaks.read_text(errors="replace")
        return text

    def _judge(self):
        self._read_status()
        log = self.console()
        for line in klog.known(log):
            say(f"known, not counted: {line}")
        reports = klog.reports(log)
        for report in reports:
            say("report in the guest's kernel log:")
            print("\n".join("  | " + line for line in report.splitlines()),
                  file=sys.stderr, flush=True)
        if reports and self.settings.stack == "ours" and not self.status:
            self.status = STATUS_KERNEL
        if self.settings.census and not self.settings.keep:
            self._judge_census()

    def _judge_census(self):
        if self.status not in (0, None) and not list(
                self.run.glob("census.*")):
            return
        self._read_census()
        if self.left is None:
            return
        print(f"objects left: {self.left}", flush=True)
        if self.violations:
            print(f"violations: {self.violations}, see hca*.log", flush=True)
        wrong = self.violations and self.settings.stack == "ours"
        if self.left or wrong:
            for file in sorted(self.run.glob("census.*")):
                print(f"  {file.name}: {file.read_text().strip()}")
            self.status = self.status or STATUS_CENSUS

    def _finish(self):
        if self.qemu:
            self.qemu.stop()
        for model in self.models:
            model.stop()
        if self.run:
            leaks = self.run / "leaks"
            if leaks.exists():
                shutil.copy(leaks, self.logs)
            shutil.rmtree(self.run, ignore_errors=True)

    def __call__(self):
        """Run it; the status for the shell."""
        try:
            self._prepare()
            self._start()
            self._watch()
            if self.status == STATUS_TIMEOUT:
                self.qemu.stop()
            self._judge()
        except BenchError as error:
            say(str(error))
            self.status = STATUS_BENCH
        finally:
            self._finish()
        if self.status:
            say(f"status {self.status}; logs are in "
                f"{os.path.relpath(self.logs)}")
        return self.status
