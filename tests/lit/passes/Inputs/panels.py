"""Writes a product of matrices with a constant of 68 x 1024: panels.py ROWS [INPUT.npy]. A row of the
constant takes 4096 bytes, the constant more than 256 KB."""

import struct
import sys

ROWS, DEPTH, COLUMNS = int(sys.argv[1]), 68, 1024
if len(sys.argv) > 2:
    values = [(i * 37 % 101 - 50) / 64 for i in range(ROWS * DEPTH)]
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(values)},)}}"
    header += " " * (117 - len(header)) + "\n"
    with open(sys.argv[2], "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(values)}f", *values))
weights = ", ".join(str(i % 17 - 8) for i in range(DEPTH * COLUMNS))
print(f"""# from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer(({ROWS * DEPTH},), "float32"), y: T.Buffer(({ROWS * COLUMNS},), "float32")):
    T.func_attr({{"tir.noalias": T.bool(True)}})
    w = T.allocate_const([{weights}], "float32", [{DEPTH * COLUMNS}])
    w_1 = T.Buffer(({DEPTH * COLUMNS},), "float32", data=w)
    for i, j in T.grid({ROWS}, {COLUMNS}):
        y[i * {COLUMNS} + j] = T.float32(0)
        for k in range({DEPTH}):
            y[i * {COLUMNS} + j] = y[i * {COLUMNS} + j] + x[i * {DEPTH} + k] * w_1[k * {COLUMNS} + j]""")
