# Uses that are easily missed at the end of a life.
# RUN: tenon-opt '--pipeline=assign-pool-info,plan-memory{overlap=on workspace-alignment=1},verify-plan' --split-input-file %s | FileCheck %s
# Each plan keeps the two buffers apart; at the same bytes, verify-plan refuses them.
# RUN: tenon-opt '--pipeline=assign-pool-info,plan-memory{overlap=on workspace-alignment=1}' --split-input-file %s -o %t.py
# RUN: sed 's/T.int64(16)/T.int64(0)/' %t.py > %t.same.py
# RUN: not tenon-opt --pipeline=verify-plan --split-input-file %t.same.py 2>&1 >/dev/null | FileCheck --check-prefix=SAME %s

# C may compute the operands of a sum in any order, so `s` of `g` may be written before `f` reads `a`.
# CHECK-DAG: a = T.allocate([16], {{.*}}"tenon.placement": ["global_workspace", T.int64([[A:[0-9]+]])]
# CHECK-DAG: s = T.allocate([16], {{.*}}"tenon.placement": ["global_workspace", T.int64([[S:[0-9]+]])]
# SAME: error: `a` and `s` overlap in pool `global_workspace`: {{.*}}the order of their accesses is not known
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def f(a: T.Buffer((16,), "int8")) -> T.int32:
        return T.Cast("int32", a[0])

    @T.prim_func(private=True)
    def g(b: T.Buffer((16,), "int8")) -> T.int32:
        s = T.allocate([16], "int8", "global")
        s_1 = T.Buffer((16,), "int8", data=s)
        for i in range(16):
            s_1[i] = b[i]
        return T.Cast("int32", s_1[15])

    @T.prim_func
    def main(x: T.Buffer((16,), "int8"), y: T.Buffer((1,), "int32")):
        T.func_attr({"tir.is_entry_func": T.bool(True)})
        a = T.allocate([16], "int8", "global")
        a_1 = T.Buffer((16,), "int8", data=a)
        for i in range(16):
            a_1[i] = x[i]
        y[0] = Module.f(a_1.data) + Module.g(x.data)
# -----
# The run may end in the middle, and then needs `o` as it is there: `s` may not be in its bytes.
# CHECK-DAG: o = T.allocate([16], {{.*}}"tenon.placement": ["global_workspace", T.int64([[O:[0-9]+]])]
# CHECK-DAG: s = T.allocate([16], {{.*}}"tenon.placement": ["global_workspace", T.int64([[S2:[0-9]+]])]
# SAME: error: `o` and `s` overlap in pool `global_workspace`: byte 0 of `o` is needed after `s` has overwritten it
from tvm.script import ir as I
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((16,), "int8"), y: T.Buffer((1,), "int8")):
    o = T.allocate([16], "int8", "global", annotations={"output_tensor": "o"})
    s = T.allocate([16], "int8", "global")
    o_1 = T.Buffer((16,), "int8", data=o)
    s_1 = T.Buffer((16,), "int8", data=s)
    for i in range(16):
        o_1[i] = x[i]
    for i in range(16):
        s_1[i] = x[15 - i]
    y[0] = s_1[x[0] % T.int8(16)]
    if x[0] == T.int8(0):
        T.evaluate(T.ret(0))
    for i in range(16):
        o_1[i] = T.int8(1)
