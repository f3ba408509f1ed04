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
    r"DMA-API: (?!preallocated|debugging enabled|dma_debug_entry)",
    r"Memory manager not clean", r"Bad page (state|map)",
)))
# Reports that say nothing of us, and why. A line of each is enough: what
# else its kind prints is still a report.
KNOWN = re.compile("|".join((
    # dma-debug counts to 7; memory may be registered more often than that.
    r"DMA-API: exceeded 7 overlapping mappings of cacheline",
    r"\bWARNING: .* at add_dma_entry\+",
)))
# What other people's kernels say for reasons of their own.
LOADING = "verbena: loading the stack"
EXCERPT = 30


def _since_loading(log):
    lines = log.replace("\r", "").splitlines()
    marks = [i for i, line in enumerate(lines) if LOADING in line]
    return lines[marks[0] if marks else 0:]


def known(log):
    """The lines of the log that report something known."""
    return [line for line in _since_loading(log) if KNOWN.search(line)]


def reports(log):
    """Excerpts of the log, one per report; a report ends the one before."""
    lines = _since_loading(log)
    found, last = [], -EXCERPT
    for i, line in enumerate(lines):
        if KNOWN.search(line):
            continue
        if REPORT.search(line) and i - last >= EXCERPT:
            found.append("\n".join(lines[i:i + EXCERPT]))
            last = i
    return found
