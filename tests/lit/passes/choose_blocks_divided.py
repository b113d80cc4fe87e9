# RUN: tenon-opt %s --pipeline=choose-blocks,simplify | FileCheck %s
# RUN: tenon-opt %s --pipeline=choose-blocks,choose-blocks | FileCheck %s --check-prefix=TWICE
# TWICE: def a_scores
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # The maximum ties the iterations together. The scaling stays with the sum.
    # CHECK-LABEL: def a_scores(
    # CHECK: for i0_block in range(2):
    # CHECK: for i1 in range(8):
    # CHECK: w_1[i0_block * 8] = block4_1[0] * T.float32(0.5)
    # CHECK: for t in range(16):
    # CHECK-NEXT: s[0] = T.max(s[0], w[t])
    @T.prim_func
    def a_scores(q: T.Buffer((8,), "float32"), k: T.Buffer((128,), "float32"), w: T.Buffer((16,), "float32"), s: T.Buffer((1,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for t in range(16):
            w[t] = T.float32(0)
            for d in range(8):
                w[t] = w[t] + q[d] * k[t * 8 + d]
            w[t] = w[t] * T.float32(0.5)
            s[0] = T.max(s[0], w[t])

    # Functions that have arithmetic in lanes count as sums. Other functions stay.
    # CHECK-LABEL: def b_functions(
    # CHECK: for i0 in range(16):
    # CHECK: w_1[i0] = T.exp(w_1[i0])
    # CHECK-NEXT: for t in range(16):
    # CHECK-NEXT: s[0] = s[0] + w[t]
    # CHECK: for t in range(16):
    # CHECK-NEXT: w[t] = T.log(w[t])
    # CHECK-NEXT: s[0] = s[0] + w[t]
    @T.prim_func
    def b_functions(w: T.Buffer((16,), "float32"), s: T.Buffer((1,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for t in range(16):
            w[t] = T.exp(w[t])
            s[0] = s[0] + w[t]
        for t in range(16):
            w[t] = T.log(w[t])
            s[0] = s[0] + w[t]

    # The sum reads the maximum of the iterations before.
    # CHECK-LABEL: def b_reads(
    # CHECK: s[0] = T.max(s[0], w[t])
    # CHECK-NOT: for t
    @T.prim_func
    def b_reads(q: T.Buffer((8,), "float32"), w: T.Buffer((16,), "float32"), s: T.Buffer((1,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for t in range(16):
            w[t] = s[0]
            for d in range(8):
                w[t] = w[t] + q[d]
            s[0] = T.max(s[0], w[t])

    # The use reads a sum that a later iteration writes.
    # CHECK-LABEL: def c_later(
    # CHECK: s[0] = s[0] + w[t + 1]
    # CHECK-NOT: for t
    @T.prim_func
    def c_later(q: T.Buffer((8,), "float32"), w: T.Buffer((17,), "float32"), s: T.Buffer((1,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for t in range(16):
            w[t] = T.float32(0)
            for d in range(8):
                w[t] = w[t] + q[d]
            s[0] = s[0] + w[t + 1]

    # The two parameters may be the same memory.
    # CHECK-LABEL: def d_alias(
    # CHECK: s[0] = T.max(s[0], w[t])
    # CHECK-NOT: for t
    @T.prim_func
    def d_alias(q: T.Buffer((8,), "float32"), w: T.Buffer((16,), "float32"), s: T.Buffer((1,), "float32")):
        for t in range(16):
            w[t] = T.float32(0)
            for d in range(8):
                w[t] = w[t] + q[d]
            s[0] = T.max(s[0], w[t])

    # A maximum over the results of sums: twelve iterations keep their 96 sums, and use them
    # afterwards. The last five iterations follow.
    # CHECK-LABEL: def e_pooling(
    # CHECK: for t in range(2):
    # CHECK: s = T.allocate([96], "float32", "global", annotations={"candidate_memory_pools": []})
    # CHECK: block4_1[0:8] = block4_1[0:8] + T.Broadcast(x_1[t * 192 + i2], 8) * shared2_1[0:8]
    # CHECK: for t_1 in range(12):
    # CHECK: y_1[0:8] = T.max(y_1[0:8], s_1[t_1 * 8:t_1 * 8 + 8] * T.Broadcast(T.float32(0.5), 8))
    # CHECK: for t in range(5):
    # CHECK: y_1[0:8] = T.max(y_1[0:8], s_1[t * 8:t * 8 + 8] * T.Broadcast(T.float32(0.5), 8))
    @T.prim_func
    def e_pooling(x: T.Buffer((464,), "float32"), w: T.Buffer((128,), "float32"), y: T.Buffer((8,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for t, c in T.grid(29, 8):
            s = T.allocate([1], "float32", "global")
            s_1 = T.Buffer((1,), data=s)
            s_1[0] = T.float32(0)
            for k in range(16):
                s_1[0] = s_1[0] + x[t * 16 + k] * w[k * 8 + c]
            y[c] = T.max(y[c], s_1[0] * T.float32(0.5))

    # The sums read the results of iterations before.
    # CHECK-LABEL: def f_reads(
    # CHECK: for t, c in T.grid(10, 8):
    # CHECK-NOT: block
    @T.prim_func
    def f_reads(x: T.Buffer((160,), "float32"), y: T.Buffer((8,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for t, c in T.grid(10, 8):
            s = T.allocate([1], "float32", "global")
            s_1 = T.Buffer((1,), data=s)
            s_1[0] = T.float32(0)
            for k in range(8):
                s_1[0] = s_1[0] + x[t * 16 + k] * y[k]
            y[c] = T.max(y[c], s_1[0])
