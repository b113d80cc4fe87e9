"""Writes a module whose sums have all products of an unsigned and a signed byte, in each place of four.

Use: byte_products.py MODULE INPUT. Sum `c` of place `i` multiplies four unsigned bytes, of which one is
`i`, and four weights, of which one is `c - 128`.
"""

import sys

PLACES, CHANNELS, SUMMED = 256, 256, 16
weights = [c - 128 if k % 4 == k // 4 else (c * 7 + k * 31) % 256 - 128
           for k in range(SUMMED) for c in range(CHANNELS)]
numbers = bytes(i if k % 4 == k // 4 else (i * 11 + k * 5) % 256
                for i in range(PLACES) for k in range(SUMMED))
with open(sys.argv[1], "w") as file:
    file.write(f'''# from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer(({PLACES * SUMMED},), "uint8"), y: T.Buffer(({PLACES * CHANNELS},), "int32")):
    T.func_attr({{"tir.noalias": T.bool(True)}})
    w = T.allocate_const({weights}, "int8", [{SUMMED * CHANNELS}])
    w_1 = T.Buffer(({SUMMED * CHANNELS},), "int8", data=w)
    for i, c in T.grid({PLACES}, {CHANNELS}):
        y[i * {CHANNELS} + c] = 0
        for k in range({SUMMED}):
            y[i * {CHANNELS} + c] = (y[i * {CHANNELS} + c] + T.Cast("int32", x[i * {SUMMED} + k])
                * T.Cast("int32", w_1[k * {CHANNELS} + c]))
''')
header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({PLACES * SUMMED},), }}".ljust(117) + "\n"
with open(sys.argv[2], "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + numbers)
