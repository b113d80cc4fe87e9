"""Prints a module with a chain of buffers. Use: many_buffers.py KIND COUNT

calls: each buffer is the output of a call, and the input of the next one
nests: each buffer is filled by a loop, which reads the one before in both directions
chain: as nests, and a loop reads one element where it writes one
"""

import sys

kind, count = sys.argv[1], int(sys.argv[2])
size = 96
print("""# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:""")
if kind == "calls":
    print(f"""    @T.prim_func
    def f(a: T.Buffer(({size},), "int8"), b: T.Buffer(({size},), "int8")):
        T.func_attr({{"global_symbol": "f", "tir.noalias": T.bool(True)}})
        for i in range({size}):
            b[i] = T.max(a[i], a[{size - 1} - i])
""")
print(f"""    @T.prim_func
    def __tvm_main__(x: T.Buffer(({size},), "int8"), y: T.Buffer(({size},), "int8")):
        T.func_attr({{"global_symbol": "main", "runner_function": T.bool(True), "tir.noalias": T.bool(True)}})""")
for k in range(count):
    print(f'        b{k} = T.allocate([{size}], "int8", "global")')
for k in range(count + 1):
    if kind == "calls":
        source, target = "x.data" if k == 0 else f"b{k - 1}", "y.data" if k == count else f"b{k}"
        print(f'        T.call_extern("int32", "f", {source}, {target})')
        continue
    source, target = "x" if k == 0 else f"b{k - 1}_1", "y" if k == count else f"b{k}_1"
    if k < count:
        print(f'        {target} = T.Buffer(({size},), "int8", data=b{k})')
    other = f"{source}[{size - 1} - i{k}]" if kind == "nests" else f"T.int8({k % 100})"
    print(f"        for i{k} in range({size}):\n"
          f"            {target}[i{k}] = T.max({source}[i{k}], {other}) * T.int8(3)")
