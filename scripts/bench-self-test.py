#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Does the bench see what a guest's kernel reports, and say what it wants?"""

import sys
import tempfile

from bench import klog
from bench.settings import BenchError, Settings

MARK = "[    5.1] verbena: loading the stack\n"

# what, kernel log, reports in it
LOGS = (
    ("a quiet log", MARK + "[    6.0] connectx 0000:01:00.0: ready\n", 0),
    ("an oops", MARK + "[    6.0] BUG: kernel NULL pointer dereference\n", 1),
    ("a WARN", MARK + "[    6.0] WARNING: CPU: 0 PID: 1 at cx.c:1\n", 1),
    ("lockdep", MARK + "[    6.0] WARNING: possible circular locking\n", 1),
    ("KASAN", MARK + "[    6.0] BUG: KASAN: slab-use-after-free in f\n", 1),
    ("UBSAN", MARK + "[    6.0] UBSAN: shift-out-of-bounds in a.c:1\n", 1),
    ("a hung task",
     MARK + "[   90.0] INFO: task a:1 blocked for more than 60 seconds.\n", 1),
    ("kmemleak", MARK + "unreferenced object 0xffff (size 64):\n", 1),
    ("the DMA API", MARK + "[    6.0] DMA-API: cx: device driver frees\n", 1),
    ("dma-debug's counter is full",
     MARK + "[    6.0] DMA-API: exceeded 7 overlapping mappings of cacheline 1\n"
     + "[    6.0] WARNING: CPU: 0 PID: 7 at add_dma_entry+0x34c/0x380\n", 0),
    ("a bug beside dma-debug's counter",
     MARK + "[    6.0] DMA-API: exceeded 7 overlapping mappings of cacheline 1\n"
     + "[    6.0] WARNING: CPU: 0 PID: 7 at add_dma_entry+0x34c/0x380\n"
     + "[    6.1] BUG: KASAN: use-after-free in f\n", 1),
    ("another report of add_dma_entry",
     MARK + "[    6.0] DMA-API: cx: cacheline tracking EEXIST\n"
     + "[    6.0] WARNING: CPU: 0 PID: 7 at add_dma_entry+0x2/0x380\n", 1),
    ("the DMA API starts", "[    1.0] DMA-API: preallocated 65536\n", 0),
    ("dma-debug gives up",
     MARK + "[    6.0] DMA-API: debugging out of memory - disabling\n", 1),
    ("refcount", MARK + "[    6.0] refcount_t: underflow\n", 1),
    ("before the stack", "[    1.0] WARNING: CPU: 0 PID: 1\n" + MARK, 0),
    ("a panic without a stack", "[    1.0] Kernel panic - not syncing\n", 1),
    ("one report of many lines",
     MARK + "[    6.0] BUG: a\n[    6.1] Oops: 0002\n[    6.2] RIP: f\n", 1),
    ("two reports", MARK + "[    6.0] BUG: a\n" + "[    6.1] x\n" * 40
     + "[    7.0] BUG: b\n", 2),
    ("fault injection is none",
     MARK + "[    6.0] FAULT_INJECTION: forcing a failure.\n", 0),
)

# settings, a word of the complaint; empty for none
SETTINGS = (
    ({}, ""),
    ({"STACK": "none", "HCAS": "2"}, ""),
    ({"STACK": "mine"}, "ours, upstream"),
    ({"KERNEL": "new"}, "stock, test"),
    ({"HCAS": "many"}, "a number"),
    ({"HCAS": "99"}, "a number"),
    ({"SHARE": "/no/such/folder"}, "no such folder"),
    ({"COLOUR": "red"}, "no such setting"),
)


def complaint(words):
    """What the settings say against themselves."""
    try:
        Settings(**words)
    except BenchError as error:
        return str(error)
    return ""


def main():
    """All cases, as TAP."""
    cases = [(what, len(klog.reports(log)) == count)
             for what, log, count in LOGS]
    for words, expected in SETTINGS:
        text = complaint(words)
        cases.append((f"settings {words}",
                      expected in text and bool(expected) == bool(text)))
    with tempfile.TemporaryDirectory() as folder:
        cases.append(("a folder to share", not complaint({"SHARE": folder})))
    for number, (what, good) in enumerate(cases, 1):
        print(f"{'' if good else 'not '}ok {number} {what}")
    print(f"1..{len(cases)}")
    return not all(good for _, good in cases)


if __name__ == "__main__":
    sys.exit(main())
