# RUN: tenon-opt %s --pipeline='vectorize-sums,simplify' --timing 2>%t.counts | FileCheck %s
# RUN: FileCheck %s --check-prefix=COUNT <%t.counts
# RUN: tenon-opt %s --pipeline='vectorize-sums{max-lanes=8},simplify' | FileCheck %s --check-prefix=EIGHT
# RUN: not tenon-opt %s --pipeline='vectorize-sums{max-lanes=4}' 2>&1 | FileCheck %s --check-prefix=BAD
# BAD: vectorize-sums: max-lanes is not 8 to 64
# RUN: tenon-opt %s --pipeline='vectorize-sums{pairs=true},simplify' | FileCheck %s --check-prefix=PAIRS
# RUN: tenon-opt %s --pipeline='vectorize-sums{pairs=true quads=true},simplify' | FileCheck %s --check-prefixes=PAIRS,QUADS
# COUNT: {{^ *14 +}}vectorize-sums.sums
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # CHECK-LABEL: def a_dot(
    # CHECK: y[m] = 0
    # CHECK: [[S:y_[0-9]+]][0] = T.Broadcast(0, 8)
    # CHECK-NEXT: for l in range(48):
    # CHECK-NEXT: [[S]][0] = T.Cast("int32x8", f[l * 40 + m * 8:l * 40 + m * 8 + 8]) * (T.Cast("int32x8", x[l * 8:l * 8 + 8]) + T.Broadcast(-3, 8)) + [[S]][0]
    # CHECK: [[H:y_[0-9]+]][0] = T.Shuffle({{\[}}[[S]][0]], [0, 1, 2, 3]) + T.Shuffle({{\[}}[[S]][0]], [4, 5, 6, 7])
    # CHECK: [[Q:y_[0-9]+]][0] = T.Shuffle({{\[}}[[H]][0]], [2, 3]) + T.Shuffle({{\[}}[[H]][0]], [0, 1])
    # CHECK: y[m] = y[m] + T.Shuffle({{\[}}[[Q]][0]], [0]) + T.Shuffle({{\[}}[[Q]][0]], [1])
    @T.prim_func
    def a_dot(x: T.Buffer((384,), "int8"), f: T.Buffer((1920,), "int8"), y: T.Buffer((5,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for m in range(5):
            y[m] = 0
            for l, k in T.grid(48, 8):
                y[m] = y[m] + (T.Cast("int32", x[l * 8 + k]) - 3) * T.Cast("int32", f[l * 40 + m * 8 + k])

    # The loop with neighbours is not the innermost one.
    # CHECK-LABEL: def b_outer(
    # CHECK: for j in range(64):
    # CHECK-NEXT: [[S:y_[0-9]+]][0] = T.Cast("int32x64", x[j * 64:j * 64 + 64]) + [[S]][0]
    # EIGHT-LABEL: def b_outer(
    # EIGHT: for j, k in T.grid(64, 8):
    # EIGHT-NEXT: [[S:y_[0-9]+]][0] = T.Cast("int32x8", x[j * 64 + k * 8:j * 64 + k * 8 + 8]) + [[S]][0]
    @T.prim_func
    def b_outer(x: T.Buffer((4096,), "uint8"), y: T.Buffer((1,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for k, j in T.grid(64, 64):
            y[0] = T.Cast("int32", x[j * 64 + k]) + y[0]

    # Floats; columns; a long loop, which LLVM computes in vectors; the sum reads itself.
    # CHECK-LABEL: def c_stay(
    # CHECK-NOT: T.Shuffle
    @T.prim_func
    def c_stay(x: T.Buffer((4096,), "float32"), z: T.Buffer((4096,), "int32"), y: T.Buffer((64,), "int32"), u: T.Buffer((64,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, k in T.grid(8, 8):
            u[0] = u[0] + x[i * 8 + k]
        for i, k in T.grid(8, 8):
            y[0] = y[0] + z[i * 100 + k * 2]
        for k in range(4096):
            y[0] = y[0] + z[k]
        for i, k in T.grid(8, 8):
            y[0] = y[0] + y[i * 8 + k]

    # A short loop.
    # CHECK-LABEL: def d_short(
    # CHECK: for i in range(8):
    # CHECK: {{y_[0-9]+}}[0] = {{y_[0-9]+}}[0] + z[i * 8:i * 8 + 8]
    @T.prim_func
    def d_short(z: T.Buffer((64,), "int32"), y: T.Buffer((8,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, k in T.grid(8, 8):
            y[i] = y[i] + z[i * 8 + k]

    # A long loop with a remainder: parts of 16 lanes, of 8 and of 4, and one step.
    # CHECK-LABEL: def e_rest(
    # CHECK: for k in range(7):
    # CHECK-NEXT: {{y_[0-9]+}}[0] = {{y_[0-9]+}}[0] + z[k * 16:k * 16 + 16]
    # CHECK: {{y_[0-9]+}}[0] = {{y_[0-9]+}}[0] + z[112:120]
    # CHECK: {{y_[0-9]+}}[0] = {{y_[0-9]+}}[0] + z[120:124]
    # CHECK: {{^ *}}y[0] = y[0] + z[124]
    @T.prim_func
    def e_rest(z: T.Buffer((125,), "int32"), y: T.Buffer((1,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for k in range(125):
            y[0] = y[0] + z[k]

    # Rows of 12 in another loop: parts of 8 lanes and of 4, each with loops of its own.
    # CHECK-LABEL: def f_rows(
    # CHECK: for j in range(256):
    # CHECK-NEXT: {{y_[0-9]+}}[0] = {{y_[0-9]+}}[0] + z[j * 12:j * 12 + 8]
    # CHECK: for j in range(256):
    # CHECK-NEXT: {{y_[0-9]+}}[0] = {{y_[0-9]+}}[0] + z[j * 12 + 8:j * 12 + 8 + 4]
    @T.prim_func
    def f_rows(z: T.Buffer((3072,), "int32"), y: T.Buffer((1,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for j, k in T.grid(256, 12):
            y[0] = y[0] + z[j * 12 + k]

    # The largest of numbers. They stay in 8 bits until the end; a lane begins with the least of them.
    # A number of 32 bits begins with the result so far.
    # CHECK-LABEL: def g_largest(
    # CHECK: [[S:y_[0-9]+]][0] = T.Broadcast(T.int8(-128), 32)
    # CHECK: [[S]][0] = T.max(x[i * 32:i * 32 + 32], [[S]][0])
    # CHECK: y[0] = T.max(T.Cast("int32", T.max(
    # CHECK: [[T:y_[0-9]+]][0] = T.Broadcast(T.uint8(255), 32)
    # CHECK: [[T]][0] = T.min(u[i * 32:i * 32 + 32], [[T]][0])
    # CHECK: [[U:y_[0-9]+]][0] = T.Broadcast(y[2], 32)
    # CHECK: [[U]][0] = T.max([[U]][0], z[i * 32:i * 32 + 32])
    @T.prim_func
    def g_largest(x: T.Buffer((256,), "int8"), u: T.Buffer((256,), "uint8"), z: T.Buffer((256,), "int32"), y: T.Buffer((3,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, k in T.grid(8, 32):
            y[0] = T.max(y[0], T.Cast("int32", x[i * 32 + k]))
        for i, k in T.grid(8, 32):
            y[1] = T.min(y[1], T.Cast("int32", u[i * 32 + k]))
        for i, k in T.grid(8, 32):
            y[2] = T.max(y[2], z[i * 32 + k])

    # Products of short integers in pairs. A byte and a number fit in 16 bits.
    # PAIRS-LABEL: def h_pairs(
    # PAIRS: T.Cast("int32x16", f[0:32:2]) * T.Cast("int32x16", x[0:32:2])
    # PAIRS-SAME: + T.Cast("int32x16", f[1:33:2]) * T.Cast("int32x16", x[1:33:2])
    # PAIRS: T.Cast("int32x16", T.Cast("int16x16", u[0:32:2]) + T.Broadcast(T.int16(-3), 16))
    # PAIRS: for i in range(8):
    # PAIRS-NEXT: {{y_[0-9]+}}[0] = {{.*}}z[i * 32:i * 32 + 32]
    @T.prim_func
    def h_pairs(x: T.Buffer((32,), "int16"), f: T.Buffer((32,), "int16"), u: T.Buffer((32,), "uint8"), z: T.Buffer((256,), "int32"), y: T.Buffer((3,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for k in range(32):
            y[0] = y[0] + T.Cast("int32", x[k]) * T.Cast("int32", f[k])
        for k in range(32):
            y[1] = y[1] + (T.Cast("int32", u[k]) - 3) * T.Cast("int32", f[k])
        for i, k in T.grid(8, 32):
            y[2] = y[2] + z[i * 32 + k] * z[i * 32 + k]

    # Products of an unsigned and a signed byte, four at a time; of two signed bytes, in pairs.
    # QUADS-LABEL: def i_quads(
    # QUADS: for i in range(64):
    # QUADS-NEXT: T.Cast("int32x8", f[i * 32:i * 32 + 32:4]) * T.Cast("int32x8", x[i * 32:i * 32 + 32:4])
    # QUADS-SAME: + T.Cast("int32x8", f[i * 32 + 3:i * 32 + 3 + 32:4]) * T.Cast("int32x8", x[i * 32 + 3:i * 32 + 3 + 32:4])
    # QUADS: T.Cast("int32x16", f[0:32:2]) * T.Cast("int32x16", f[0:32:2])
    @T.prim_func
    def i_quads(x: T.Buffer((2048,), "uint8"), f: T.Buffer((2048,), "int8"), y: T.Buffer((2,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, k in T.grid(64, 32):
            y[0] = y[0] + T.Cast("int32", x[i * 32 + k]) * T.Cast("int32", f[i * 32 + k])
        for k in range(32):
            y[1] = y[1] + T.Cast("int32", f[k]) * T.Cast("int32", f[k])

    # A number of 16 bits, minus another one, has no instruction for pairs.
    # CHECK-LABEL: def j_offset(
    # CHECK: {{y_[0-9]+}}[0] = {{.*}}T.Cast("int32x64", f[0:64]) * (T.Cast("int32x64", x[0:64]) + T.Broadcast(-3, 64))
    @T.prim_func
    def j_offset(x: T.Buffer((64,), "int16"), f: T.Buffer((64,), "int16"), y: T.Buffer((1,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for k in range(64):
            y[0] = y[0] + (T.Cast("int32", x[k]) - 3) * T.Cast("int32", f[k])
