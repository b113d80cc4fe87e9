# RUN: tenon-opt %s --pipeline=distribute-loops --timing 2>%t.counts | FileCheck %s
# RUN: FileCheck %s --check-prefix=COUNT <%t.counts
# RUN: tenon-opt %s --pipeline=distribute-loops,distribute-loops | FileCheck %s
# COUNT: {{^ *2 +}}distribute-loops.loops
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # The maximum ties the iterations together. The scaling stays with the sum.
    # CHECK-LABEL: def a_scores(
    # CHECK: for t in range(16):
    # CHECK-NEXT: w[t] = T.float32(0)
    # CHECK-NEXT: for d in range(8):
    # CHECK-NEXT: w[t] = w[t] + q[d] * k[t * 8 + d]
    # CHECK-NEXT: w[t] = w[t] * T.float32(0.5)
    # CHECK-NEXT: for t in range(16):
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
    # CHECK: for t in range(16):
    # CHECK-NEXT: w[t] = T.exp(w[t])
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
