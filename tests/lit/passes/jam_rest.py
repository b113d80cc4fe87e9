# RUN: tenon-opt %s --pipeline='jam-loops{register-bytes=256},simplify' | FileCheck %s
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # Seven long sums share the rows of x: four of them run together, and then three.
    # CHECK-LABEL: def a_long(
    # CHECK: for k in range(64):
    # CHECK-COUNT-4: x[k * 16:k * 16 + 16]
    # CHECK: for k in range(64):
    # CHECK-COUNT-3: x[k * 16:k * 16 + 16]
    # CHECK-NOT: x[k * 16:k * 16 + 16]
    # Of seven short ones, all run alone.
    # CHECK-LABEL: def b_short(
    # CHECK: for m in range(7):
    @T.prim_func
    def a_long(x: T.Buffer((1024,), "float32"), f: T.Buffer((448,), "float32"), y: T.Buffer((112,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for m in range(7):
            s = T.allocate([1], "float32x16", "global")
            s_1 = T.Buffer((1,), "float32x16", data=s)
            s_1[0] = T.Broadcast(T.float32(0), 16)
            for k in range(64):
                s_1[0] = s_1[0] + x[k * 16:k * 16 + 16] * T.Broadcast(f[k * 7 + m], 16)
            y[m * 16:m * 16 + 16] = s_1[0]

    @T.prim_func
    def b_short(x: T.Buffer((1024,), "float32"), f: T.Buffer((448,), "float32"), y: T.Buffer((112,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for m in range(7):
            s = T.allocate([1], "float32x16", "global")
            s_1 = T.Buffer((1,), "float32x16", data=s)
            s_1[0] = T.Broadcast(T.float32(0), 16)
            for k in range(63):
                s_1[0] = s_1[0] + x[k * 16:k * 16 + 16] * T.Broadcast(f[k * 7 + m], 16)
            y[m * 16:m * 16 + 16] = s_1[0]
