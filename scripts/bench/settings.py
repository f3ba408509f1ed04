# SPDX-License-Identifier: GPL-2.0-only
"""What a run is asked for: NAME=value, of the environment or in words."""

import functools
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"


class BenchError(Exception):
    """The bench cannot do what is asked; the text says what to do."""


# name: (default, what it is)
NAMES = {
    "STACK": ("ours", "ours, upstream, rxe or none"),
    "KERNEL": ("stock", "stock, test or debug"),
    "CMD": ("", "shell text to run in the guest; none: a shell"),
    "SHARE": ("", "a folder of this machine, at /mnt/share in the guest"),
    "HCAS": ("", "how many adapters; 1, or 0 for stacks without one"),
    "MEM": ("", "memory of the guest; 2G, or 1G for KERNEL=debug"),
    "SMP": ("2", "processors of the guest"),
    "TIMEOUT": ("600", "seconds that CMD may take with all around it"),
    "CENSUS": ("", "1: fail when the adapter has objects left at the end"),
    "KEEP": ("", "1: power off with the stack loaded"),
    "ACCEL": ("", "kvm or tcg; kvm where it works"),
    "MODEL": ("", "the model to run; build/cxmodel"),
    "MODEL_ARGS": ("", "more arguments for the model"),
    "QEMU_ARGS": ("", "more arguments for QEMU"),
    "KERNEL_ARGS": ("", "more words on the kernel's command line"),
}
STACKS = ("ours", "upstream", "rxe", "none")
KERNELS = ("stock", "test", "debug")


def have_kvm():
    """Is there a KVM that runs a whole processor?

    /dev/kvm also exists in sandboxes whose KVM only runs parts of one; these
    do not show the processor's own extension.
    """
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return False
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    return "vmx" in flags or "svm" in flags


class Settings:
    """The settings of one run, checked."""

    def __init__(self, **words):
        unknown = set(words) - set(NAMES)
        if unknown:
            raise BenchError(f"no such setting: {', '.join(sorted(unknown))}")
        for name, (default, _) in NAMES.items():
            setattr(self, name.lower(), str(words.get(name, "")) or default)
        self._choice("STACK", STACKS)
        self._choice("KERNEL", KERNELS)
        with_hca = self.stack in ("ours", "upstream")
        self.hcas = self._number("HCAS", 1 if with_hca else 0, 0, 8)
        self.smp = self._number("SMP", 2, 1, 64)
        self.timeout = self._number("TIMEOUT", 600, 1, 10 ** 6)
        # the debug kernel's start takes time by the page
        self.mem = self.mem or ("1G" if self.kernel == "debug" else "2G")
        self.accel = self.accel or ("kvm" if have_kvm() else "tcg")
        self._choice("ACCEL", ("kvm", "tcg"))
        self.model = pathlib.Path(self.model or BUILD / "cxmodel")
        self.modules = BUILD / f"modules-{self.kernel}"
        if self.share and not os.path.isdir(self.share):
            raise BenchError(f"SHARE={self.share}: no such folder")

    @classmethod
    def of_environment(cls, **words):
        """Settings of the environment, with words over them."""
        env = {name: os.environ[name] for name in NAMES if name in os.environ}
        return cls(**{**env, **words})

    def _choice(self, name, choices):
        value = getattr(self, name.lower())
        if value not in choices:
            raise BenchError(f"{name}={value}: it is one of "
                             + ", ".join(choices))

    def _number(self, name, default, low, high):
        text = getattr(self, name.lower())
        try:
            value = int(text) if text else default
        except ValueError:
            value = low - 1
        if not low <= value <= high:
            raise BenchError(f"{name}={text}: it is a number from {low} "
                             f"to {high}")
        return value


@functools.cache
def script(*argv):
    """The output of one of the bench's scripts."""
    done = subprocess.run([ROOT / "scripts" / argv[0], *argv[1:]],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchError(done.stderr.strip().removeprefix("verbena: "))
    return done.stdout.strip()
