# SPDX-License-Identifier: GPL-2.0-only
"""The wire format, read from include/connectx: fields by name."""
import pathlib
import re

INCLUDE = pathlib.Path(__file__).resolve().parents[3] / "include" / "connectx"
ROW = re.compile(r"^(CX_STRUCT|CX_FIELD64|CX_FIELD|CX_BYTES|CX_SUB)"
                 r"\((\w+), ([^;]*)\);", re.M)
ENUM = re.compile(r"^\t(CX_\w+) = (0x[0-9a-f]+|\d+),", re.M)
DEFINE = re.compile(r"^#define (CX_\w+)\s+\(?((?:0x[0-9a-f]+|\d+)"
                    r"(?: << \d+)?)\)?(?:\s*/\*.*)?$", re.M)

SIZE = {}       # structure -> bytes
FIELD = {}      # structure -> field -> (bit, width)
SUB = {}        # structure -> field -> (byte offset, structure or None)
CONST = {}      # CX_... -> number


def _load():
    for path in sorted(INCLUDE.glob("prm_*.h")):
        text = path.read_text()
        for kind, struct, rest in ROW.findall(text):
            arg = [a.strip() for a in rest.split(",")]
            if kind == "CX_STRUCT":
                SIZE[struct] = int(arg[0], 0)
                FIELD.setdefault(struct, {})
                SUB.setdefault(struct, {})
            elif kind == "CX_FIELD":
                FIELD[struct][arg[0]] = (int(arg[1], 0), int(arg[2], 0))
            elif kind == "CX_FIELD64":
                FIELD[struct][arg[0]] = (int(arg[1], 0), 64)
            elif kind == "CX_BYTES":
                SUB[struct][arg[0]] = (int(arg[1], 0), None)
            else:
                SUB[struct][arg[0]] = (int(arg[1], 0), arg[2])
        for name, value in ENUM.findall(text):
            CONST[name] = int(value, 0)
        for name, value in DEFINE.findall(text):
            CONST[name] = eval(value)   # a number, perhaps shifted


_load()


class Struct:
    """A structure of the wire in a bytearray: s["field"], s.sub("name")."""

    def __init__(self, name, buf=None, base=0, **fields):
        self.name = name
        self.buf = bytearray(SIZE[name]) if buf is None else buf
        self.base = base
        for key, value in fields.items():
            self[key] = value

    def _where(self, field):
        bit, width = FIELD[self.name][field]
        return self.base + bit // 32 * 4, bit % 32, width

    def __getitem__(self, field):
        at, bit, width = self._where(field)
        if width == 64:
            return int.from_bytes(self.buf[at:at + 8], "big")
        word = int.from_bytes(self.buf[at:at + 4], "big")
        return word >> (32 - bit - width) & ((1 << width) - 1)

    def __setitem__(self, field, value):
        at, bit, width = self._where(field)
        if width == 64:
            self.buf[at:at + 8] = value.to_bytes(8, "big")
            return
        shift = 32 - bit - width
        mask = ((1 << width) - 1) << shift
        word = int.from_bytes(self.buf[at:at + 4], "big")
        word = word & ~mask | value << shift & mask
        self.buf[at:at + 4] = word.to_bytes(4, "big")

    def sub(self, field, **fields):
        off, struct = SUB[self.name][field]
        s = Struct(struct, self.buf, self.base + off)
        for key, value in fields.items():
            s[key] = value
        return s

    def offset(self, field):
        return self.base + SUB[self.name][field][0]

    def __bytes__(self):
        return bytes(self.buf)


def const(name):
    return CONST["CX_" + name]
