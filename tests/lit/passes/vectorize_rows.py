# RUN: tenon-opt %s --pipeline='vectorize-loops,simplify' | FileCheck %s
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # The number of lanes is a power of two.
    # CHECK-LABEL: def a_three(
    # CHECK: for n in range(3):
    # CHECK: s_1[0] = f[k * 48 + n * 16:k * 48 + n * 16 + 16] * T.Broadcast(x[k], 16) + s_1[0]
    @T.prim_func
    def a_three(x: T.Buffer((8,), "int32"), f: T.Buffer((384,), "int32"), y: T.Buffer((48,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for n in range(48):
            s = T.allocate([1], "int32", "global")
            s_1 = T.Buffer((1,), "int32", data=s)
            s_1[0] = 0
            for k in range(8):
                s_1[0] = s_1[0] + x[k] * f[k * 48 + n]
            y[n] = s_1[0]

    # Sums of four channels at several places, if the rows of x continue each other.
    # CHECK-LABEL: def b_channels(
    # CHECK: s_1[0] = s_1[0] + x[q * 4:q * 4 + 64] * T.Shuffle([f[q * 4:q * 4 + 4]], [0, 1, 2, 3, 0, {{.*}}3])
    # CHECK: s_1[0] = s_1[0] + x[w * 8 + q * 4:w * 8 + q * 4 + 4] * f[q * 4:q * 4 + 4]
    @T.prim_func
    def b_channels(x: T.Buffer((136,), "float32"), f: T.Buffer((8,), "float32"), y: T.Buffer((64,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for w, c in T.grid(16, 4):
            s = T.allocate([1], "float32", "global")
            s_1 = T.Buffer((1,), "float32", data=s)
            s_1[0] = T.float32(0)
            for q in range(2):
                s_1[0] = s_1[0] + x[w * 4 + q * 4 + c] * f[q * 4 + c]
            y[w * 4 + c] = s_1[0]
        for w, c in T.grid(16, 4):
            s = T.allocate([1], "float32", "global")
            s_1 = T.Buffer((1,), "float32", data=s)
            s_1[0] = T.float32(0)
            for q in range(2):
                s_1[0] = s_1[0] + x[w * 8 + q * 4 + c] * f[q * 4 + c]
            y[w * 4 + c] = s_1[0]

    # Lanes choose by two conditions.
    # CHECK-LABEL: def c_conditions(
    # CHECK: y[0:16] = T.Select(T.Select(T.Ramp(0, 1, 16) > T.Broadcast(0, 16), T.Ramp(0, 1, 16) < T.Broadcast(15, 16), T.Broadcast(T.bool(False), 16)), x[0:16], T.Broadcast(0, 16))
    # CHECK: y[0:16] = T.Select(T.Select(T.Ramp(0, 1, 16) < T.Broadcast(2, 16), T.Broadcast(T.bool(True), 16), T.Ramp(0, 1, 16) > T.Broadcast(9, 16)), x[0:16], T.Broadcast(0, 16))
    @T.prim_func
    def c_conditions(x: T.Buffer((16,), "int32"), y: T.Buffer((16,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(16):
            y[i] = T.if_then_else(i > 0 and i < 15, x[i], 0)
        for i in range(16):
            y[i] = T.if_then_else(i < 2 or i > 9, x[i], 0)
