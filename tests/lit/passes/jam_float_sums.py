# RUN: tenon-opt %s --pipeline='jam-loops{max-copies=4},simplify' | FileCheck %s
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # Long sums of floats wait for each other at every step. LLVM splits sums of integers itself.
    # CHECK-LABEL: def a_floats(
    # CHECK: for i in range(2):
    # CHECK: s_1_1[0] = s_1_1[0] + x[i * 256 + k]
    # CHECK: + x[i * 256 + k + 192]
    # CHECK-LABEL: def b_integers(
    # CHECK: for i in range(8):
    @T.prim_func
    def a_floats(x: T.Buffer((512,), "float32"), y: T.Buffer((8,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(8):
            s = T.allocate([1], "float32", "global")
            s_1 = T.Buffer((1,), data=s)
            s_1[0] = T.float32(0)
            for k in range(64):
                s_1[0] = s_1[0] + x[i * 64 + k]
            y[i] = s_1[0]

    @T.prim_func
    def b_integers(x: T.Buffer((512,), "int32"), y: T.Buffer((8,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(8):
            s = T.allocate([1], "int32", "global")
            s_1 = T.Buffer((1,), "int32", data=s)
            s_1[0] = 0
            for k in range(64):
                s_1[0] = s_1[0] + x[i * 64 + k]
            y[i] = s_1[0]

    # Steps of two loops. Vectors in memory stay as they are.
    # CHECK-LABEL: def c_loops(
    # CHECK: for i in range(2):
    # CHECK: for j, k in T.grid(8, 8):
    # CHECK: x[i * 256 + j * 8 + k]
    # CHECK: x[i * 256 + j * 8 + k + 192]
    # CHECK-LABEL: def d_vectors(
    # CHECK: for i in range(8):
    @T.prim_func
    def c_loops(x: T.Buffer((512,), "float32"), y: T.Buffer((8,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(8):
            s = T.allocate([1], "float32", "global")
            s_1 = T.Buffer((1,), data=s)
            s_1[0] = T.float32(0)
            for j, k in T.grid(8, 8):
                s_1[0] = s_1[0] + x[i * 64 + j * 8 + k]
            y[i] = s_1[0]

    @T.prim_func
    def d_vectors(x: T.Buffer((4096,), "float32"), y: T.Buffer((64,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(8):
            s = T.allocate([8], "float32", "global")
            s_1 = T.Buffer((8,), data=s)
            s_1[0:8] = T.Broadcast(T.float32(0), 8)
            for j, k in T.grid(8, 8):
                s_1[0:8] = s_1[0:8] + x[i * 512 + j * 64 + k * 8:i * 512 + j * 64 + k * 8 + 8]
            y[i * 8:i * 8 + 8] = s_1[0:8]

    # A number of sums without a large divisor: the remaining ones run together. A single one stays.
    # CHECK-LABEL: def e_rest(
    # CHECK: for i in range(2):
    # CHECK: x[i * 256 + k + 192]
    # CHECK: + x[k + 512]
    # CHECK: + x[k + 640]
    # CHECK-LABEL: def f_one(
    # CHECK: for i in range(3):
    # CHECK: for k in range(64):
    # CHECK: for k in range(64):
    # CHECK-NEXT: {{s_[0-9_]+}}[0] = {{s_[0-9_]+}}[0] + x[k + 768]
    @T.prim_func
    def e_rest(x: T.Buffer((704,), "float32"), y: T.Buffer((11,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(11):
            s = T.allocate([1], "float32", "global")
            s_1 = T.Buffer((1,), data=s)
            s_1[0] = T.float32(0)
            for k in range(64):
                s_1[0] = s_1[0] + x[i * 64 + k]
            y[i] = s_1[0]

    @T.prim_func
    def f_one(x: T.Buffer((832,), "float32"), y: T.Buffer((13,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(13):
            s = T.allocate([1], "float32", "global")
            s_1 = T.Buffer((1,), data=s)
            s_1[0] = T.float32(0)
            for k in range(64):
                s_1[0] = s_1[0] + x[i * 64 + k]
            y[i] = s_1[0]
