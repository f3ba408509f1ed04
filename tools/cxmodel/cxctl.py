#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Send one command to a cxmodel's control socket and print the answer."""
import argparse
import json
import socket
import sys


def ask(path, line, timeout=10):
    """One command, its answer as a dictionary."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
        s.settimeout(timeout)
        s.connect(path)
        s.sendall(line.encode() + b"\n")
        answer = b""
        while not answer.endswith(b"\n"):
            piece = s.recv(65536)
            if not piece:
                raise ConnectionError("the model hung up")
            answer += piece
    return json.loads(answer)


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("path", help="the socket given to cxmodel --control")
    p.add_argument("command", nargs="+",
                   help="census | kill | fail-cmd N STATUS [SYNDROME] | "
                        "fail-op NAME N STATUS [SYNDROME] | fail-umr N | "
                        "lose-umr N | lose-cmd N | lose-event N | list KIND | "
                        "translations | port up|down | "
                        "wire drop|duplicate|reorder N [COUNT]")
    args = p.parse_args()
    try:
        answer = ask(args.path, " ".join(args.command))
    except (OSError, ValueError) as e:
        print(f"cxctl: {args.path}: {e}; is cxmodel running with "
              f"--control?", file=sys.stderr)
        return 2
    print(json.dumps(answer))
    return 1 if "error" in answer else 0


if __name__ == "__main__":
    sys.exit(main())
