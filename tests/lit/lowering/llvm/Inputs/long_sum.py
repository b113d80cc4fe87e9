"""Prints a module with a sum of N elements, or with a condition of N parts.

Use: long_sum.py expression|statements|condition|guard N
"""

import sys

form, count = sys.argv[1], int(sys.argv[2])
print(f'''# from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer(({count},), "float32"), y: T.Buffer((1,), "float32")):''')
if form == "expression":
    print("    y[0] = " + " + ".join(f"x[{i}]" for i in range(count)))
elif form == "condition":
    parts = " and ".join(f"i % {1 + n % 7} == 0" for n in range(count))
    print(f"    for i in range({count}):\n        if {parts}:\n            y[0] = y[0] + x[i]")
elif form == "guard":
    parts = " and ".join(f"i + k < {3 + n % 7}" for n in range(count))
    print(f"    for i, k in T.grid(8, 8):\n        y[0] = y[0] + T.if_then_else({parts}, x[i], T.float32(0)) * x[k]")
else:
    print("\n".join(f"    y[0] = y[0] + x[{i}]" for i in range(count)))
