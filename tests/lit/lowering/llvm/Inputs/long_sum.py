"""Prints a module with a sum of N elements. Use: long_sum.py expression|statements N"""

import sys

form, count = sys.argv[1], int(sys.argv[2])
print(f'''# from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer(({count},), "float32"), y: T.Buffer((1,), "float32")):''')
if form == "expression":
    print("    y[0] = " + " + ".join(f"x[{i}]" for i in range(count)))
else:
    print("\n".join(f"    y[0] = y[0] + x[{i}]" for i in range(count)))
