"""Writes the inputs x and z of choose_blocks_orders.py into a folder. Use: orders_inputs.py FOLDER"""

import pathlib
import struct
import sys


def write(path, kind, code, numbers):
    head = str({"descr": kind, "fortran_order": False, "shape": (len(numbers),)}).ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() +
                     struct.pack(f"<{len(numbers)}{code}", *numbers))


folder = pathlib.Path(sys.argv[1])
write(folder / "x.npy", "<f4", "f", [(i * 37 % 4001 - 2000) / 64 for i in range(32768)])
write(folder / "z.npy", "|i1", "b", [i * 31 % 251 - 125 for i in range(1024)])
