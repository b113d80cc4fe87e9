# Four products of unsigned and signed 8-bit integers stand together, and x86 computes them in one instruction.
# RUN: tenon-opt %s --pipeline='choose-blocks{registers=32 register-bytes=64 quads=true}' | FileCheck %s
# RUN: tenon-opt %s --pipeline='choose-blocks{registers=32 register-bytes=64}' | FileCheck %s --check-prefix=PAIRS
# CHECK-LABEL: def padded(
# CHECK: weights = T.allocate_const([0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15,
# The condition of the padded input is in the copy, not in the sum.
# CHECK: staged_1[
# CHECK: block{{[0-9]+}}_1[0:4] = block{{[0-9]+}}_1[0:4] + (T.Cast("int32x4", weights_1[{{.*}}:4]) * T.Broadcast(T.Cast("int32", staged_1[{{.*}}]), 4) + {{.*}} + {{.*}} + {{.*}})
# PAIRS-LABEL: def padded(
# PAIRS: T.Cast("int16x4", weights_1[
# PAIRS-NOT: weights_1[{{[^]]*}}:4]
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def padded(x: T.Buffer((32,), "uint8"), y: T.Buffer((32,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47], "int8", [48])
        w_1 = T.Buffer((48,), "int8", data=w)
        for i, c in T.grid(8, 4):
            s = T.allocate([1], "int32", "global")
            s_1 = T.Buffer((1,), "int32", data=s)
            s_1[0] = 0
            for r in range(3):
                if i + r > 0 and i + r < 9:
                    for k in range(4):
                        s_1[0] = s_1[0] + T.Cast("int32", w_1[r * 16 + k * 4 + c]) * T.Cast("int32", x[i * 4 + r * 4 + k - 4])
            y[i * 4 + c] = s_1[0]

    # Two signed factors are multiplied in pairs.
    # CHECK-LABEL: def signed(
    # CHECK-NOT: weights_1[{{[^]]*}}:4]
    @T.prim_func
    def signed(x: T.Buffer((32,), "int8"), y: T.Buffer((32,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], "int8", [16])
        w_1 = T.Buffer((16,), "int8", data=w)
        for i, c in T.grid(8, 4):
            y[i * 4 + c] = 0
            for k in range(4):
                y[i * 4 + c] = y[i * 4 + c] + T.Cast("int32", w_1[k * 4 + c]) * T.Cast("int32", x[i * 4 + k])
