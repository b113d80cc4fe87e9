"""npy.py FILE DTYPE SHAPE VALUE...: writes a .npy file (shape - has no dimensions); npy.py FILE prints one."""

import ast
import struct
import sys

CODES = {"f2": "e", "b1": "B", "i1": "b", "i4": "i", "f4": "f", "f8": "d", "u1": "B"}


def write(path, dtype, shape, values):
    shape = tuple(int(x) for x in shape.split("x") if x != "-")
    kind = float if dtype[0] == "f" else int
    descr = ("|" if dtype.endswith("1") else "<") + dtype
    header = str({"descr": descr, "fortran_order": False, "shape": shape}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    data = struct.pack(f"<{len(values)}{CODES[dtype]}", *map(kind, values))
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data)


def show(path):
    with open(path, "rb") as file:
        raw = file.read()
    size = struct.unpack("<H", raw[8:10])[0]
    header = ast.literal_eval(raw[10:10 + size].decode())
    data = raw[10 + size:]
    code = CODES[header["descr"][1:]]
    values = struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data)
    print(header["descr"], header["shape"], *values)


if len(sys.argv) == 2:
    show(sys.argv[1])
else:
    write(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
