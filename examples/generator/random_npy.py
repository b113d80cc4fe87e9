"""Writes a tensor of random numbers: random_npy.py FILE.npy DTYPE SHAPE, such as x.npy int8 1x49x10x1."""
import array
import random
import struct
import sys

CODES = {"int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "float32": "f", "float64": "d"}
path, dtype, shape = sys.argv[1], sys.argv[2], tuple(map(int, sys.argv[3].split("x")))
code, count = CODES[dtype], 1
for extent in shape:
    count *= extent
bits, numbers = 8 * array.array(code).itemsize, random.Random(1)
low, high = (0, 2**bits - 1) if dtype[0] == "u" else (-2**(bits - 1), 2**(bits - 1) - 1)
values = (numbers.gauss(0, 1) if dtype[0] == "f" else numbers.randint(low, high) for _ in range(count))
kind = f"<{'f' if dtype[0] == 'f' else 'u' if dtype[0] == 'u' else 'i'}{bits // 8}".replace("<i1", "|i1").replace("<u1", "|u1")
header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
header += " " * (-(len(header) + 11) % 64) + "\n"
with open(path, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{count}{code}", *values))
