# SPDX-License-Identifier: GPL-2.0-only
"""QEMU's command line: a PC whose adapters are models."""

import json
import pathlib
import shlex

from .settings import script

BOOT = ("console=ttyS0 loglevel=7 panic=-1 oops=panic printk.devkmsg=on "
        "mitigations=off nokaslr cryptomgr.notests watchdog_thresh=60 "
        "rcupdate.rcu_cpu_stall_timeout=120 swiotlb=noforce "
        "root=/dev/vda rw init=/sbin/bench-init")


def shares(settings, run):
    """Folders of the host in the guest: tag, place, path, mount options."""
    kernel = pathlib.Path(script("kernel.sh", settings.kernel))
    table = [("run", "/mnt/run", run, "cache=none"),
             ("kernel", "/lib/modules", kernel / "modules", "cache=loose,ro")]
    if settings.modules.exists():
        table.append(("modules", "/mnt/modules", settings.modules,
                      "cache=loose,ro"))
    if settings.share:
        table.append(("share", "/mnt/share", settings.share, "cache=mmap"))
    return table


def fstab(settings, run):
    """Lines for the guest to mount the shares; "run" already is."""
    return "".join(
        f"{tag} {place} 9p trans=virtio,version=9p2000.L,msize=262144,"
        f"{options}\n"
        for tag, place, _, options in shares(settings, run) if tag != "run")


def _share(tag, path, readonly):
    path = str(path).replace(",", ",,")
    return ["-virtfs", f"local,mount_tag={tag},path={path},"
            "security_model=none,multidevs=remap"
            + (",readonly=on" if readonly else "")]


def _adapter(number, model):
    port = f"port{number}"
    device = {"driver": "vfio-user-pci", "bus": port,
              "socket": {"type": "unix", "path": str(model.socket)}}
    return ["-device", f"pcie-root-port,id={port},chassis={number + 1},"
            f"slot={number + 1}", "-device", json.dumps(device)]


def _processor(settings):
    if settings.accel == "kvm":
        return ["-accel", "kvm", "-cpu", "host"]
    return ["-accel", "tcg,thread=multi",
            "-cpu", "Haswell-v4,-pcid,-tsc-deadline,-invpcid,-spec-ctrl"]


def command_line(settings, models, run, logs):
    """The words to start QEMU with."""
    kernel = pathlib.Path(script("kernel.sh", settings.kernel))
    disk = pathlib.Path(script("cached.sh", "guest")) / "disk.img"
    qemu = pathlib.Path(script("cached.sh", "qemu")) / "qemu-system-x86_64"
    argv = [
        qemu, "-nodefaults", "-no-user-config", "-display", "none",
        "-no-reboot", "-monitor", "none", *_processor(settings),
        "-smp", settings.smp, "-machine", "q35,memory-backend=mem",
        # shared: the models reach the guest's memory through it
        "-object",
        f"memory-backend-memfd,id=mem,size={settings.mem},share=on",
        "-serial", f"file:{logs / 'console.log'}",
        "-kernel", kernel / "vmlinuz",
        "-append", f"{BOOT} {settings.kernel_args}".strip(),
        "-drive", "if=none,id=disk,format=raw,snapshot=on,file="
        + str(disk).replace(",", ",,"),
        "-device", "virtio-blk-pci,drive=disk", "-device", "virtio-rng-pci",
        "-device", "virtio-serial-pci",
        "-chardev", "stdio,id=tty,signal=off", "-device",
        "virtserialport,chardev=tty,name=output" if settings.cmd
        else "virtconsole,chardev=tty",
    ]
    if (kernel / "initrd").exists():
        argv += ["-initrd", kernel / "initrd"]
    for tag, _, path, options in shares(settings, run):
        argv += _share(tag, path, "ro" in options.split(","))
    # adapters are last: an IOMMU has to be there before them
    argv += shlex.split(settings.qemu_args)
    for number, model in enumerate(models):
        argv += _adapter(number, model)
    return argv
