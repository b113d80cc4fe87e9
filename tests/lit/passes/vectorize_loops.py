# RUN: tenon-opt %s --pipeline='vectorize-loops,simplify' | FileCheck %s
# RUN: tenon-opt %s --pipeline='vectorize-loops,simplify' | FileCheck %s --check-prefix=MATH
# RUN: tenon-opt %s --pipeline='vectorize-loops{max-lanes=4},simplify' | FileCheck %s --check-prefix=FOUR
# FOUR-LABEL: def long(
# FOUR: for i in range(48):
# FOUR-NEXT: y[i * 4:i * 4 + 4] = T.Cast("int32x4", x[i * 4:i * 4 + 4]) + T.Broadcast(1, 4)
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # Each lane sums in the order that the loop had.
    @T.prim_func
    def conv(x: T.Buffer((32,), "float32"), w: T.Buffer((128,), "float32"), y: T.Buffer((64,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, c in T.grid(4, 16):
            s = T.allocate([1], "float32", "global")
            s_1 = T.Buffer((1,), data=s)
            s_1[0] = T.float32(0)
            for k in range(8):
                s_1[0] = s_1[0] + x[i * 8 + k] * w[k * 16 + c]
            y[i * 16 + c] = T.max(s_1[0], T.float32(0))

    @T.prim_func
    def long(x: T.Buffer((192,), "int8"), y: T.Buffer((192,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(192):
            y[i] = T.Cast("int32", x[i]) + 1

    # Without noalias, y may be x plus one element.
    @T.prim_func
    def alias(x: T.Buffer((16,), "int32"), y: T.Buffer((16,), "int32")):
        for i in range(16):
            y[i] = x[i]

    @T.prim_func
    def carried(x: T.Buffer((17,), "int32")):
        for i in range(16):
            x[i + 1] = x[i]

    @T.prim_func
    def gather(x: T.Buffer((80,), "int32"), y: T.Buffer((16,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(16):
            y[i] = x[i * 5]

    # Elements at a step of up to 4 are loaded as rows.
    @T.prim_func
    def steps(x: T.Buffer((64,), "int32"), y: T.Buffer((16,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(16):
            y[i] = x[i * 4]

    # A value that several statements use, and an index that depends on such a value.
    @T.prim_func
    def lets(x: T.Buffer((16,), "int32"), y: T.Buffer((16,), "int32"), z: T.Buffer((64,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(16):
            with T.LetStmt(x[i] * 3) as v:
                y[i] = v + T.shift_right(v, 2)
        for i in range(16):
            with T.LetStmt(x[i] % 3) as v:
                y[i] = z[v + i]

    # The last vector computes one result again.
    @T.prim_func
    def overlap(x: T.Buffer((45,), "int32"), y: T.Buffer((35,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for h, w in T.grid(5, 7):
            y[h * 7 + w] = 0
            for p in range(3):
                y[h * 7 + w] = y[h * 7 + w] + x[h * 9 + w + p]

    # It would add to one result twice.
    @T.prim_func
    def once(x: T.Buffer((45,), "int32"), y: T.Buffer((35,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for h, w in T.grid(5, 7):
            for p in range(3):
                y[h * 7 + w] = y[h * 7 + w] + x[h * 9 + w + p]

    # Results that are apart, in loops inside of the vectorized one.
    @T.prim_func
    def rows(f: T.Buffer((64,), "int32"), x: T.Buffer((50,), "int32"), y: T.Buffer((160,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for m, i in T.grid(16, 10):
            s = T.allocate([1], "int32", "global")
            s_1 = T.Buffer((1,), "int32", data=s)
            s_1[0] = 0
            for k in range(4):
                s_1[0] = s_1[0] + f[k * 16 + m] * x[i * 5 + k]
            y[m * 10 + i] = s_1[0]

    # Both sides of a condition may be computed if their elements are tested, or are in the buffer.
    @T.prim_func
    def chosen(x: T.Buffer((32,), "int32"), y: T.Buffer((32,), "int32"), z: T.Buffer((40,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(32):
            y[i] = T.if_then_else(x[i] > 3, x[i], z[i + 8])

    # Elements that the condition guards must not be read.
    @T.prim_func
    def guarded(x: T.Buffer((16,), "int32"), y: T.Buffer((32,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(32):
            y[i] = T.if_then_else(i < 16, x[i], 0)

    @T.prim_func
    def few(x: T.Buffer((3,), "int32"), y: T.Buffer((3,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(3):
            y[i] = x[i]

    # Places of an image and their channels. `f` and `g` have one element for each channel, for each
    # place; `h` is a window with a stride.
    @T.prim_func
    def places(x: T.Buffer((192,), "int8"), f: T.Buffer((3,), "int32"), g: T.Buffer((64,), "int32"), y: T.Buffer((192,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for w, c in T.grid(64, 3):
            y[w * 3 + c] = T.Cast("int32", x[w * 3 + c]) * f[c] + g[w]

    @T.prim_func
    def places_rest(h: T.Buffer((120,), "float32"), y: T.Buffer((54,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for w, c in T.grid(18, 3):
            y[w * 3 + c] = T.float32(0)
            for q in range(3):
                y[w * 3 + c] = y[w * 3 + c] + h[w * 6 + q * 3 + c]

    # Sums in memory that other loops set; loads that are far apart.
    @T.prim_func
    def places_stay(x: T.Buffer((1024,), "int32"), f: T.Buffer((48,), "int32"), y: T.Buffer((192,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for k, w, c in T.grid(16, 64, 3):
            y[w * 3 + c] = y[w * 3 + c] + x[k * 64 + w] * f[k * 3 + c]
        for w, c in T.grid(64, 3):
            y[w * 3 + c] = x[w * 16 + c]

# CHECK-LABEL: def alias
# CHECK: y[i] = x[i]
# CHECK-LABEL: def carried
# CHECK: x[i + 1] = x[i]
# CHECK-LABEL: def chosen
# CHECK: y[0:32] = T.Select(x[0:32] > T.Broadcast(3, 32), x[0:32], z[8:40])
# CHECK-LABEL: def conv
# CHECK: for i in range(4):
# CHECK-NEXT: s = T.allocate([1], "float32x16", "global")
# CHECK: s_1[0] = T.Broadcast(T.float32(0), 16)
# CHECK-NEXT: for k in range(8):
# CHECK-NEXT: s_1[0] = s_1[0] + T.Broadcast(x[i * 8 + k], 16) * w[k * 16:k * 16 + 16]
# CHECK-NEXT: y[i * 16:i * 16 + 16] = T.max(s_1[0], T.Broadcast(T.float32(0), 16))
# CHECK-LABEL: def few
# CHECK: y[i] = x[i]
# CHECK-LABEL: def gather
# CHECK: y[i] = x[i * 5]
# CHECK-LABEL: def guarded
# CHECK: y[i] = T.if_then_else(i < 16, x[i], 0)
# CHECK-LABEL: def lets
# CHECK: with T.LetStmt(x[0:16] * T.Broadcast(3, 16)) as v:
# CHECK-NEXT: y[0:16] = v + T.shift_right(v, T.Broadcast(2, 16))
# CHECK: for i in range(16):
# CHECK: y[i] = z[{{.*}}v{{.*}}]
# CHECK-LABEL: def long
# CHECK: for i in range(3):
# CHECK-NEXT: y[i * 64:i * 64 + 64] = T.Cast("int32x64", x[i * 64:i * 64 + 64]) + T.Broadcast(1, 64)
# CHECK-LABEL: def once
# CHECK: y[h * 7:h * 7 + 7] = x[h * 9 + p:h * 9 + p + 7] + y[h * 7:h * 7 + 7]
# CHECK-LABEL: def overlap
# CHECK: y[h * 7:h * 7 + 4] = T.Broadcast(0, 4)
# CHECK: y[h * 7 + 3:h * 7 + 3 + 4] = T.Broadcast(0, 4)
# CHECK-LABEL: def places(
# CHECK: for w in range(4):
# CHECK-NEXT: y[w * 48:w * 48 + 48] = T.Shuffle([f[0:3]], [0, 1, 2, 0, 1, 2, {{.*}}2]) * T.Cast("int32x48", x[w * 48:w * 48 + 48]) + T.Shuffle([g[w * 16:w * 16 + 16]], [0, 0, 0, 1, 1, 1, {{.*}}15])
# CHECK-LABEL: def places_rest(
# CHECK: y[0:48] = T.Broadcast(T.float32(0), 48)
# CHECK: y[0:48] = y[0:48] + T.Shuffle([h[q * 3:q * 3 + 93]], [0, 1, 2, 6, 7, 8, {{.*}}92])
# CHECK: y[6:54] = T.Broadcast(T.float32(0), 48)
# CHECK-LABEL: def places_stay(
# CHECK-NOT: T.Shuffle
# CHECK-LABEL: def rows
# CHECK: for i in range(10):
# CHECK-NEXT: s = T.allocate([1], "int32x16", "global")
# CHECK: y[i:i + 160:10] = s_1[0]
# CHECK-LABEL: def steps
# CHECK: y[0:16] = x[0:64:4]

    # Functions that expand-math writes as arithmetic have at most 16 lanes; others stay.
    # MATH-LABEL: def z_functions(
    # MATH: for i in range(4):
    # MATH-NEXT: y[i * 16:i * 16 + 16] = T.exp(x[i * 16:i * 16 + 16])
    # MATH: for i in range(64):
    # MATH-NEXT: y[i] = T.log(x[i])
    @T.prim_func
    def z_functions(x: T.Buffer((64,), "float32"), y: T.Buffer((64,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(64):
            y[i] = T.exp(x[i])
        for i in range(64):
            y[i] = T.log(x[i])
