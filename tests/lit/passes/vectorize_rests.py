# RUN: tenon-opt %s --pipeline='vectorize-loops{max-lanes=16},simplify' | FileCheck %s
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # A loop around a sum has a remainder of 7 iterations, in a vector that computes one result again. Sums that begin with stored
    # elements cannot run twice: 3 iterations run one by one.
    # CHECK-LABEL: def a_rest(
    # CHECK: for j in range(2):
    # CHECK: b[k * 39 + j * 16:k * 39 + j * 16 + 16]
    # CHECK: b[k * 39 + 31:k * 39 + 31 + 8]
    # CHECK: y[31:39] =
    # CHECK: for j, k in T.grid(2, 8):
    # CHECK: z[j * 16:j * 16 + 16] =
    # CHECK: for j in range(32, 35):
    # CHECK-NEXT: for k in range(8):
    # CHECK-NEXT: z[j] =
    @T.prim_func
    def a_rest(a: T.Buffer((8,), "float32"), b: T.Buffer((312,), "float32"), y: T.Buffer((39,), "float32"), z: T.Buffer((35,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for j in range(39):
            s = T.allocate([1], "float32", "global")
            s_1 = T.Buffer((1,), data=s)
            s_1[0] = T.float32(0)
            for k in range(8):
                s_1[0] = s_1[0] + a[k] * b[k * 39 + j]
            y[j] = s_1[0]
        for j in range(35):
            for k in range(8):
                z[j] = z[j] + a[k] * b[k * 35 + j]

    # The results of sums lie in rows of 4, or apart at a constant step.
    # CHECK-LABEL: def b_apart(
    # CHECK: y[0:4] = T.Shuffle([s_1[0]], [0, 1, 2, 3])
    # CHECK-NEXT: y[100:104] = T.Shuffle([s_1[0]], [4, 5, 6, 7])
    # CHECK: z[0:72:9] = s_1[0]
    @T.prim_func
    def b_apart(a: T.Buffer((8,), "float32"), b: T.Buffer((64,), "float32"), y: T.Buffer((104,), "float32"), z: T.Buffer((72,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for j in range(8):
            s = T.allocate([1], "float32", "global")
            s_1 = T.Buffer((1,), data=s)
            s_1[0] = T.float32(0)
            for k in range(8):
                s_1[0] = s_1[0] + a[k] * b[k * 8 + j]
            y[j // 4 * 100 + j % 4] = s_1[0]
        for j in range(8):
            s = T.allocate([1], "float32", "global")
            s_1 = T.Buffer((1,), data=s)
            s_1[0] = T.float32(0)
            for k in range(8):
                s_1[0] = s_1[0] + a[k] * b[k * 8 + j]
            z[j * 9] = s_1[0]

    # Without a sum, the store would cost as much as the vector saves. LLVM handles the remainder then.
    # CHECK-LABEL: def c_stay(
    # CHECK: z[j * 9] = a[j] + T.float32(1)
    # CHECK: y[j] = y[j] + T.float32(1)
    @T.prim_func
    def c_stay(a: T.Buffer((8,), "float32"), y: T.Buffer((39,), "float32"), z: T.Buffer((72,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for j in range(8):
            z[j * 9] = a[j] + T.float32(1)
        for j in range(39):
            y[j] = y[j] + T.float32(1)
