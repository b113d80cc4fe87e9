# RUN: tenon-opt %s --pipeline=sums-in-lanes | FileCheck %s
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # CHECK-LABEL: def branch
    # Branches would be copied.
    # CHECK: for i in range(4):
    @T.prim_func
    def branch(x: T.Buffer((64,), "float32"), w: T.Buffer((2048,), "float32"), y: T.Buffer((32,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            s = T.allocate([8], "float32", "global")
            s_1 = T.Buffer((8,), "float32", data=s)
            for c in range(8):
                s_1[c] = T.float32(0)
            for k in range(64):
                if k < 60:
                    for c in range(8):
                        s_1[c] = s_1[c] + x[k] * w[i * 512 + k * 8 + c]
            for c in range(8):
                y[i * 8 + c] = s_1[c]

    # CHECK-LABEL: def floats
    # CHECK: s = T.allocate([32], "float32", "global")
    # CHECK: for [[I:i[_0-9]*]], c in T.grid(4, 8):
    # CHECK-NEXT: s_1[[[I]] * 8 + c] = T.float32(0)
    # CHECK: for k, c in T.grid(64, 8):
    # CHECK-NEXT: s_1[c] = s_1[c] + x[k] * w[k * 8 + c]
    # CHECK-NEXT: s_1[c + 8] = s_1[c + 8] + x[k] * w[k * 8 + c + 512]
    # CHECK-NEXT: s_1[c + 16] = s_1[c + 16] + x[k] * w[k * 8 + c + 1024]
    # CHECK-NEXT: s_1[c + 24] = s_1[c + 24] + x[k] * w[k * 8 + c + 1536]
    # A statement without a long sum keeps its loop.
    # CHECK: for [[J:i[_0-9]*]], c in T.grid(4, 8):
    # CHECK-NEXT: t = T.allocate([1], "float32", "global")
    # CHECK: t_1[0] = s_1[[[J]] * 8 + c]
    # CHECK: y[[[J]] * 8 + c] = t_1[0]
    @T.prim_func
    def floats(x: T.Buffer((64,), "float32"), w: T.Buffer((2048,), "float32"), y: T.Buffer((32,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            s = T.allocate([8], "float32", "global")
            s_1 = T.Buffer((8,), "float32", data=s)
            for c in range(8):
                s_1[c] = T.float32(0)
            for k, c in T.grid(64, 8):
                s_1[c] = s_1[c] + x[k] * w[i * 512 + k * 8 + c]
            for c in range(8):
                t = T.allocate([1], "float32", "global")
                t_1 = T.Buffer((1,), "float32", data=t)
                t_1[0] = s_1[c]
                y[i * 8 + c] = t_1[0]

    # CHECK-LABEL: def integers
    # Integers are added in one cycle.
    # CHECK: for i in range(4):
    @T.prim_func
    def integers(x: T.Buffer((64,), "int32"), w: T.Buffer((2048,), "int32"), y: T.Buffer((32,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            s = T.allocate([8], "int32", "global")
            s_1 = T.Buffer((8,), "int32", data=s)
            for c in range(8):
                s_1[c] = 0
            for k, c in T.grid(64, 8):
                s_1[c] = s_1[c] + x[k] * w[i * 512 + k * 8 + c]
            for c in range(8):
                y[i * 8 + c] = s_1[c]
