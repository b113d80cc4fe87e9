"""many_tensors.py COUNT: a module with COUNT outputs, y0[0] = x[0], y1[0] = x[0] + 1, ..."""

import sys

count = int(sys.argv[1])
outputs = ", ".join(f'y{i}: T.Buffer((1,), "int32")' for i in range(count))
print(f"""# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer((1,), "int32"), {outputs}):
        T.func_attr({{"global_symbol": "main"}})""")
for i in range(count):
    print(f"        y{i}[0] = x[0] + {i}")
