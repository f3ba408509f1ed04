# SPDX-License-Identifier: GPL-2.0-only
"""Cases one by one, as TAP."""
import time


def run(cases, after_each=lambda: None):
    """Run (name, function); the status."""
    print('TAP version 13')
    failed = 0
    for number, (name, case) in enumerate(cases, 1):
        start = time.monotonic()
        try:
            case()
            print(f'ok {number} {name}', flush=True)
        except Exception as error:  # pylint: disable=broad-except
            failed += 1
            print(f'# {type(error).__name__}: {error}')
            print(f'not ok {number} {name}', flush=True)
        print(f'# {time.monotonic() - start:.1f} s', flush=True)
        after_each()
    print(f'1..{len(cases)}')
    return 1 if failed else 0
