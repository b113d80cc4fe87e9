"""Writes a module whose sums have all products of an unsigned and a signed byte, in each place of four.

Use: byte_products.py MODULE INPUT [WEIGHTS]. Sum `c` of place `i` multiplies four unsigned bytes, of which
one is `i`, and four weights, of which one is `c - 128`. The weights are a constant, with the channels side
by side. With WEIGHTS, they are another input, with the steps of a sum side by side.
"""

import sys

PLACES, CHANNELS = 256, 256
rows = len(sys.argv) > 3
summed = 64 if rows else 16


def weight(k, c):
    return c - 128 if k % 4 == k // 4 % 4 else (c * 7 + k * 31) % 256 - 128


def write(path, descr, numbers):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({len(numbers)},), }}".ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + numbers)


if rows:
    index = f"c * {summed} + k"
    param = f'w_1: T.Buffer(({summed * CHANNELS},), "int8"), '
    constant = ""
    write(sys.argv[3], "|i1", bytes(weight(k, c) % 256 for c in range(CHANNELS) for k in range(summed)))
else:
    index = f"k * {CHANNELS} + c"
    param = ""
    weights = [weight(k, c) for k in range(summed) for c in range(CHANNELS)]
    constant = f'''
    w = T.allocate_const({weights}, "int8", [{summed * CHANNELS}])
    w_1 = T.Buffer(({summed * CHANNELS},), "int8", data=w)'''
with open(sys.argv[1], "w") as file:
    file.write(f'''# from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer(({PLACES * summed},), "uint8"), {param}y: T.Buffer(({PLACES * CHANNELS},), "int32")):
    T.func_attr({{"tir.noalias": T.bool(True)}}){constant}
    for i, c in T.grid({PLACES}, {CHANNELS}):
        y[i * {CHANNELS} + c] = 0
        for k in range({summed}):
            y[i * {CHANNELS} + c] = (y[i * {CHANNELS} + c] + T.Cast("int32", x[i * {summed} + k])
                * T.Cast("int32", w_1[{index}]))
''')
write(sys.argv[2], "|u1", bytes(i if k % 4 == k // 4 % 4 else (i * 11 + k * 5) % 256
                                for i in range(PLACES) for k in range(summed)))
