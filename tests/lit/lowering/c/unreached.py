# No code is generated for functions that the entry does not reach, so a call in one of them needs no pools, even where the callee
# takes some.
# RUN: rm -rf %t && tenon compile %s --fuse=off --narrow=off --emit=c -o %t
# RUN: FileCheck %s --input-file=%t/tvmgen_default.c --implicit-check-not=apart

# CHECK-LABEL: static int32_t tvmgen_default_op(
# CHECK:       tvmgen_default_op({{.*}}global_workspace_0_var)
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def op(a: T.Buffer((4,), "int32")):
        for i in range(4):
            a[i] = a[i] * i

    @T.prim_func
    def apart(a: T.Buffer((4,), "int32")):
        T.call_extern("int32", "op", a.data)

    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        t = T.allocate([4], "int32", "global")
        t_1 = T.Buffer((4,), "int32", data=t)
        for i in range(4):
            t_1[i] = x[i]
        T.call_extern("int32", "op", t)
        for i in range(4):
            y[i] = t_1[3 - i]
