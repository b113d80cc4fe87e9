"""Prints a module with N operators of many instructions each. Use: many_operators.py N"""

import sys

count = int(sys.argv[1])
print('''# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:''')
for n in range(count):
    print(f'''    @T.prim_func(private=True)
    def operator_{n}(x: T.Buffer((256,), "int32"), y: T.Buffer((256,), "int32")):
        T.func_attr({{"tir.noalias": True}})
        table = T.allocate_const({[n + k * (n + 3) for k in range(8)]}, "int32", [8])
        table_1 = T.Buffer((8,), "int32", data=table)
        for i in range(16):''')
    for k in range(16):
        other = k * 5 % 16
        print(f'            y[i * 16 + {k}] = T.truncmod(x[i * 16 + {k}] * x[i * 16 + {other}] + '
              f'x[i * 16 + {k}] * {n + 3} - table_1[x[i * 16] & 7], {1000 + k}) + x[i * 16 + {other}]')
print('''    @T.prim_func
    def __tvm_main__(n: T.int32, y: T.Buffer((256,), "int32")):
        T.func_attr({"global_symbol": "__tvm_main__", "tir.noalias": True})
        a = T.allocate([256], "int32", "global")
        b = T.allocate([256], "int32", "global")
        a_1 = T.Buffer((256,), "int32", data=a)
        for i in range(256):
            a_1[i] = n * i % 211 - 100''')
for n in range(count):
    source, to = ("a", "b") if n % 2 == 0 else ("b", "a")
    print(f"        Module.operator_{n}({source}, {to if n + 1 < count else 'y.data'})")
