# Two products of 16-bit integers stand together, for processors that multiply pairs. Bytes that are copied first become
# such integers. Bytes that stay where they are have quads, of two instructions.
# RUN: tenon-opt %s --pipeline='choose-blocks{pairs=true}' | FileCheck %s
# RUN: tenon-opt %s --pipeline='choose-blocks{pairs=true quads=true}' | FileCheck %s --check-prefix=BOTH
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # CHECK-LABEL: def in_place(
    # CHECK-NOT: staged
    # CHECK: weights_1[{{.*}}:4]
    @T.prim_func
    def in_place(x: T.Buffer((32,), "uint8"), y: T.Buffer((32,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], "int8", [16])
        w_1 = T.Buffer((16,), "int8", data=w)
        for i, c in T.grid(8, 4):
            y[i * 4 + c] = 0
            for k in range(4):
                y[i * 4 + c] = y[i * 4 + c] + T.Cast("int32", w_1[k * 4 + c]) * T.Cast("int32", x[i * 4 + k])

    # CHECK-LABEL: def padded(
    # CHECK: weights = T.allocate_const([0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15,
    # CHECK: staged_1 = T.Buffer((40,), "int16", data=staged)
    # CHECK: staged_1[{{.*}}] = T.Cast("int16", T.if_then_else(
    # CHECK: block{{[0-9]+}}_1[0:4] = block{{[0-9]+}}_1[0:4] + (T.Cast("int32x4", weights_1[{{.*}}:2]) * T.Broadcast(T.Cast("int32", staged_1[{{.*}}]), 4) + {{.*}}
    # BOTH-LABEL: def padded(
    # BOTH: staged_1 = T.Buffer((40,), "uint8", data=staged)
    # BOTH: weights_1[{{.*}}:4]
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

    # Numbers of 16 bits have pairs on all processors.
    # BOTH-LABEL: def words(
    # CHECK-LABEL: def words(
    # CHECK: weights_1[{{.*}}:2]
    # BOTH: weights_1[{{.*}}:2]
    @T.prim_func
    def words(x: T.Buffer((32,), "int16"), y: T.Buffer((32,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], "int8", [16])
        w_1 = T.Buffer((16,), "int8", data=w)
        for i, c in T.grid(8, 4):
            y[i * 4 + c] = 0
            for k in range(4):
                y[i * 4 + c] = y[i * 4 + c] + T.Cast("int32", w_1[k * 4 + c]) * T.Cast("int32", x[i * 4 + k])
