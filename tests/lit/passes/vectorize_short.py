# RUN: tenon-opt %s --pipeline='vectorize-loops,simplify' | FileCheck %s
# RUN: tenon-opt %s --pipeline='vectorize-loops{max-lanes=4},simplify' | FileCheck %s --check-prefix=FOUR
# A vector has two blocks of m. The blocks of i differ from one tensor to the next.
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # CHECK-LABEL: def a_blocks(
    # FOUR-LABEL: def a_blocks(
    # FOUR: s_1[0] = s_1[0] + T.Broadcast(x[i // 16 * 48 + k * 16 + i % 16], 4) * f[m * 12 + k * 4:m * 12 + k * 4 + 4]
    # CHECK: for i, m in T.grid(48, 3):
    # CHECK: for k in range(3):
    # CHECK-NEXT: s_1[0] = s_1[0] + T.Broadcast(x[i // 16 * 48 + k * 16 + i % 16], 8) * T.Shuffle([f[m * 24 + k * 4:m * 24 + k * 4 + 16]], [0, 1, 2, 3, 12, 13, 14, 15])
    # CHECK: y[i // 3 * 72 + m * 24 + i % 3:i // 3 * 72 + m * 24 + i % 3 + 24:3] = s_1[0]
    @T.prim_func
    def a_blocks(x: T.Buffer((144,), "float32"), f: T.Buffer((72,), "float32"), y: T.Buffer((1152,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, m in T.grid(48, 24):
            s = T.allocate([1], "float32", "global")
            s_1 = T.Buffer((1,), data=s)
            s_1[0] = T.float32(0)
            for k in range(3):
                s_1[0] = s_1[0] + x[i // 16 * 48 + k * 16 + i % 16] * f[m // 4 * 12 + k * 4 + m % 4]
            y[i // 3 * 72 + m * 3 + i % 3] = s_1[0]

    # A store in other blocks does not have one element for each place of both loops.
    # CHECK-LABEL: def b_shared(
    # CHECK: for i, m in T.grid(48, 24):
    # CHECK: y[i // 3 * 72 + m // 2 * 3 + i % 3] = s_1[0]
    @T.prim_func
    def b_shared(x: T.Buffer((144,), "float32"), f: T.Buffer((72,), "float32"), y: T.Buffer((1152,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, m in T.grid(48, 24):
            s = T.allocate([1], "float32", "global")
            s_1 = T.Buffer((1,), data=s)
            s_1[0] = T.float32(0)
            for k in range(3):
                s_1[0] = s_1[0] + x[i // 16 * 48 + k * 16 + i % 16] * f[m // 4 * 12 + k * 4 + m % 4]
            y[i // 3 * 72 + m // 2 * 3 + i % 3] = s_1[0]

    # All lanes of a vector have one element of c. Lanes run backwards in x.
    # CHECK-LABEL: def c_one(
    # CHECK: s_1[0] = s_1[0] + T.Shuffle([x[k * 12 - i * 4 + 8:k * 12 - i * 4 + 8 + 4]], [3, 2, 1, 0]) * T.Broadcast(c[i * -1 + 2], 4)
    @T.prim_func
    def c_one(x: T.Buffer((48,), "int32"), c: T.Buffer((3,), "int32"), y: T.Buffer((12,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(12):
            s = T.allocate([1], "int32", "global")
            s_1 = T.Buffer((1,), "int32", data=s)
            s_1[0] = 0
            for k in range(4):
                s_1[0] = s_1[0] + c[(11 - i) // 4] * x[k * 12 + 11 - i]
            y[i] = s_1[0]
