# SPDX-License-Identifier: GPL-2.0-only
"""Reports of bugs in a guest's kernel log."""

import re

# One word per kind of report that the kernel makes of its own troubles.
REPORT = re.compile("|".join((
    r"\bBUG: ", r"\bWARNING: ", r"\bOops\b", r"\bKernel panic\b",
    r"general protection fault", r"\bKASAN: ", r"\bUBSAN: ", r"\bKCSAN: ",
    r"unreferenced object", r"\bODEBUG: ", r"\brefcount_t: ",
    r"INFO: task .* blocked for more than", r"rcu.*\bdetected .*stall",
    r"soft lockup", r"hard LOCKUP", r"scheduling while atomic",
    r"INFO: trying to register non-static key", r"list_(add|del) corruption",
    r"DMA-API: (?!preallocated|debugging|dma_debug_entry)",
    r"Memory manager not clean", r"Bad page (state|map)",
)))
# What other people's kernels say for reasons of their own.
LOADING = "verbena: loading the stack"
EXCERPT = 30


def reports(log):
    """Excerpts of the log, one per report; a report ends the one before."""
    lines = log.replace("\r", "").splitlines()
    marks = [i for i, line in enumerate(lines) if LOADING in line]
    start = marks[0] if marks else 0
    found, last = [], -EXCERPT
    for i, line in enumerate(lines[start:], start):
        if REPORT.search(line) and i - last >= EXCERPT:
            found.append("\n".join(lines[i:i + EXCERPT]))
            last = i
    return found
