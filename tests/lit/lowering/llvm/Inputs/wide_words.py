#!/usr/bin/env python3
"""Numbers next to powers of two, whose products with each other test fixed-point arithmetic.

Use: wide_words.py X.npy M.npy. X has int32, M the multipliers of the same pairs as uint32.
"""

import sys

NUMBERS = sorted({(sign << bits) + near for bits in (0, 1, 8, 15, 16, 24, 29, 30, 31) for sign in (1, -1)
                  for near in (-1, 0, 1)} | {1518500250, -1234567891})
WORDS = [number for number in NUMBERS if -(1 << 31) <= number < 1 << 31]


def write(path, descr, numbers):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({len(numbers)},), }}".ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
        file.write(b"".join((number % (1 << 32)).to_bytes(4, "little") for number in numbers))


pairs = [(x, m) for x in WORDS for m in WORDS]
pairs = (pairs * 2)[:3072]
write(sys.argv[1], "<i4", [x for x, _ in pairs])
write(sys.argv[2], "<u4", [m for _, m in pairs])
