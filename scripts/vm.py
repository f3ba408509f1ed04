#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""vm.py [NAME=value...] [-- COMMAND] - run a command, or a shell, in the guest

Settings are also read from the environment. The status is the command's, or
96 bench failure, 97 objects left or violations, 98 kernel report,
124 timeout.
"""

import signal
import sys

from bench.run import Run, say, STATUS_BENCH
from bench.settings import NAMES, BenchError, Settings


def usage():
    """The help text."""
    print(__doc__)
    for name, (default, what) in NAMES.items():
        print(f"  {name + '=' + default:18} {what}")


def parse(argv):
    """Settings of the command line."""
    words = {}
    while argv and argv[0] != "--":
        name, equals, value = argv.pop(0).partition("=")
        if not equals:
            raise BenchError(f"{name}: not NAME=value; see vm.py --help")
        words[name] = value
    if argv:
        words["CMD"] = " ".join(argv[1:])
    return words


def main(argv):
    """The program."""
    if set(argv[:1]) & {"-h", "--help"}:
        usage()
        return 0
    # end like Ctrl-C, so that nothing is left behind
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.default_int_handler)
    try:
        return Run(Settings.of_environment(**parse(argv)))()
    except BenchError as error:
        say(str(error))
        return STATUS_BENCH
    except KeyboardInterrupt:
        say("stopped")
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
