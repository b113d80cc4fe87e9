# RUN: tenon-opt %s --pipeline=forward-producers | FileCheck %s
# RUN: tenon-opt %s --pipeline=forward-producers --timing 2>%t >/dev/null
# RUN: FileCheck %s --check-prefix=COUNT --input-file %t
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # CHECK-LABEL: def alias
    # The source may be the output, which is written while the copy is read.
    # CHECK: b_1[i] = x[i]
    @T.prim_func
    def alias(x: T.Buffer((8,), "int8"), y: T.Buffer((8,), "int8")):
        b = T.allocate([8], "int8", "global")
        b_1 = T.Buffer((8,), "int8", data=b)
        for i in range(8):
            b_1[i] = x[i]
        for i in range(8):
            y[i] = b_1[7 - i]

    # CHECK-LABEL: def borders
    # A tap in the padding adds nothing; the condition is around the channels.
    # CHECK-NOT: T.allocate
    # CHECK: for i, k in T.grid(4, 3):
    # CHECK-NEXT: if i + k > 0 and i + k < 5:
    # CHECK-NEXT: for c in range(8):
    # CHECK-NEXT: y[i * 8 + c] = y[i * 8 + c] + x[i * 8 + k * 8 + c - 8]
    @T.prim_func
    def borders(x: T.Buffer((32,), "int32"), y: T.Buffer((32,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([48], "int32", "global")
        b_1 = T.Buffer((48,), "int32", data=b)
        for i, c in T.grid(6, 8):
            b_1[i * 8 + c] = T.if_then_else(0 < i and i < 5, x[i * 8 + c - 8], 0)
        for i, k, c in T.grid(4, 3, 8):
            y[i * 8 + c] = y[i * 8 + c] + b_1[(i + k) * 8 + c]

    # CHECK-LABEL: def borders_along_lanes
    # Lanes would have different conditions: the copy stays.
    # CHECK: T.allocate
    @T.prim_func
    def borders_along_lanes(x: T.Buffer((8,), "float32"), y: T.Buffer((8,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([10], "float32", "global")
        b_1 = T.Buffer((10,), "float32", data=b)
        for i in range(10):
            b_1[i] = T.if_then_else(0 < i and i < 9, x[i - 1], T.float32(0))
        for i, k in T.grid(8, 3):
            y[i] = y[i] + b_1[i + k]

    # CHECK-LABEL: def borders_of_floats
    # 0 times an infinite weight is not 0: both branches stay.
    # CHECK: T.Mul(T.float32(0), w[c])
    # CHECK: for i in range(1, 5):
    # CHECK: x[i * 8 + c - 8] * w[c]
    @T.prim_func
    def borders_of_floats(x: T.Buffer((32,), "float32"), w: T.Buffer((8,), "float32"),
                          y: T.Buffer((40,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([40], "float32", "global")
        b_1 = T.Buffer((40,), "float32", data=b)
        for i, c in T.grid(5, 8):
            b_1[i * 8 + c] = T.if_then_else(0 < i, x[i * 8 + c - 8], T.float32(0))
        for i, c in T.grid(5, 8):
            y[i * 8 + c] = y[i * 8 + c] + b_1[i * 8 + c] * w[c]

    # CHECK-LABEL: def chain
    # CHECK-NOT: T.allocate
    # CHECK: for i, j in T.grid(2, 4):
    # CHECK-NEXT: y[i * 4 + j] = T.max((T.Cast("int32", x[i * 4 + j]) - 3) * 5, 0)
    @T.prim_func
    def chain(x: T.Buffer((8,), "int8"), y: T.Buffer((8,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([8], "int32", "global")
        b_1 = T.Buffer((8,), "int32", data=b)
        c = T.allocate([8], "int32", "global")
        c_1 = T.Buffer((8,), "int32", data=c)
        for i in range(8):
            b_1[i] = T.Cast("int32", x[i]) - 3
        for i, j in T.grid(4, 2):
            c_1[i * 2 + j] = b_1[i * 2 + j] * 5
        for i, j in T.grid(2, 4):
            y[i * 4 + j] = T.max(c_1[i * 4 + j], 0)

    # CHECK-LABEL: def concatenation
    # Each part has a loop.
    # CHECK-NOT: T.allocate
    # CHECK: for i in range(4):
    # CHECK-NEXT: for k in range(3):
    # CHECK-NEXT: z[i] = z[i] + x[k] * w[k * 4 + i]
    # CHECK-NEXT: for [[K:[a-z0-9_]+]] in range(3, 8):
    # CHECK-NEXT: z[i] = z[i] + y[[[K]] - 3] * w[[[K]] * 4 + i]
    @T.prim_func
    def concatenation(x: T.Buffer((3,), "int32"), y: T.Buffer((5,), "int32"),
                      w: T.Buffer((32,), "int32"), z: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([8], "int32", "global")
        b_1 = T.Buffer((8,), "int32", data=b)
        for i in range(8):
            b_1[i] = T.if_then_else(i < 3, x[i], y[i - 3])
        for i, k in T.grid(4, 8):
            z[i] = z[i] + b_1[k] * w[k * 4 + i]

    # CHECK-LABEL: def costly
    # Each element is read eight times.
    # CHECK: b_1[i] = T.exp(x[i])
    @T.prim_func
    def costly(x: T.Buffer((8,), "float32"), y: T.Buffer((8,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([8], "float32", "global")
        b_1 = T.Buffer((8,), "float32", data=b)
        for i in range(8):
            b_1[i] = T.exp(x[i])
        for i, k in T.grid(8, 8):
            y[i] = y[i] + b_1[k]

    # CHECK-LABEL: def divided
    # Divided loops with a truncated last part.
    # CHECK-NOT: T.allocate
    # CHECK: for i, k in T.grid(2, 40):
    # CHECK-NEXT: y[i * 40 + k] = T.Cast("int32", x[i * 40 + k]) + T.Cast("int32", x[i * 40 - k + 39])
    @T.prim_func
    def divided(x: T.Buffer((80,), "int8"), y: T.Buffer((80,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([80], "int32", "global")
        b_1 = T.Buffer((80,), "int32", data=b)
        for a, outer, inner in T.grid(2, 3, 16):
            if outer * 2 + inner // 8 < 5:
                b_1[a * 40 + outer * 16 + inner] = T.Cast("int32", x[a * 40 + outer * 16 + inner])
        for i, k in T.grid(2, 40):
            y[i * 40 + k] = b_1[i * 40 + k] + b_1[i * 40 + 39 - k]

    # CHECK-LABEL: def extern
    # CHECK: T.allocate
    @T.prim_func
    def extern(x: T.Buffer((8,), "int8"), y: T.Buffer((8,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([8], "int8", "global")
        b_1 = T.Buffer((8,), "int8", data=b)
        for i in range(8):
            b_1[i] = x[i]
        T.evaluate(T.call_extern("int32", "f", b, y.data))

    # CHECK-LABEL: def extern_between
    # The call may write x.
    # CHECK: T.allocate
    @T.prim_func
    def extern_between(x: T.Buffer((8,), "int8"), y: T.Buffer((8,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([8], "int8", "global")
        b_1 = T.Buffer((8,), "int8", data=b)
        for i in range(8):
            b_1[i] = x[i]
        T.evaluate(T.call_extern("int32", "f", x.data))
        for i in range(8):
            y[i] = b_1[i]

    # CHECK-LABEL: def fused_counters
    # CHECK-NOT: T.allocate
    # CHECK: y[i * 8 + j * 2 + k] = x[j * 6 + k * 3 + i]
    @T.prim_func
    def fused_counters(x: T.Buffer((24,), "int8"), y: T.Buffer((24,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([24], "int8", "global")
        b_1 = T.Buffer((24,), "int8", data=b)
        for f in range(24):
            b_1[f % 3 * 8 + f // 3] = x[f]
        for i, j, k in T.grid(3, 4, 2):
            y[i * 8 + j * 2 + k] = b_1[i * 8 + j * 2 + k]

    # CHECK-LABEL: def guarded_read
    # Elements that a guard excludes are not read without it.
    # CHECK-NOT: T.allocate
    # CHECK: for i in range(8):
    # CHECK-NEXT: y[i] = x[i]
    @T.prim_func
    def guarded_read(x: T.Buffer((8,), "int8"), y: T.Buffer((16,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([8], "int8", "global")
        b_1 = T.Buffer((8,), "int8", data=b)
        for i in range(8):
            b_1[i] = x[i]
        for i in range(16):
            if i < 8:
                y[i] = b_1[i]

    # CHECK-LABEL: def in_while
    # CHECK: T.allocate
    @T.prim_func
    def in_while(x: T.Buffer((8,), "int8"), y: T.Buffer((8,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([8], "int8", "global")
        b_1 = T.Buffer((8,), "int8", data=b)
        for i in range(8):
            b_1[i] = x[i]
        while y[0] < b_1[0]:
            y[0] = y[0] + T.int8(1)

    # CHECK-LABEL: def let
    # A copy of the index would define its variable twice.
    # CHECK: T.allocate
    @T.prim_func
    def let(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([8], "int32", "global")
        b_1 = T.Buffer((8,), "int32", data=b)
        t = T.int32()
        for i in range(8):
            b_1[i] = x[i] - i
        for i in range(8):
            y[i] = b_1[T.Let(t * t, where={t: i // 4})]

    # CHECK-LABEL: def not_all_written
    # It is not proven that all read elements were written: element 8 was not.
    # CHECK: T.allocate
    @T.prim_func
    def not_all_written(x: T.Buffer((8,), "int8"), n: T.Buffer((1,), "int32"),
                        y: T.Buffer((8,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([9], "int8", "global")
        b_1 = T.Buffer((9,), "int8", data=b)
        for i in range(8):
            b_1[i] = x[i]
        for i in range(8):
            y[i] = b_1[n[0]]

    # CHECK-LABEL: def not_injective
    # CHECK: T.allocate
    @T.prim_func
    def not_injective(x: T.Buffer((8,), "int8"), y: T.Buffer((4,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([4], "int8", "global")
        b_1 = T.Buffer((4,), "int8", data=b)
        for i in range(8):
            b_1[i // 2] = x[i]
        for i in range(4):
            y[i] = b_1[i]

    # CHECK-LABEL: def parallel
    # A parallel nest stays; a reader may be parallel.
    # CHECK: b_1[i] = x[i]
    # CHECK: for i in T.parallel(8):
    # CHECK-NEXT: y[i] = b_1[i] + x[i * -1 + 7]
    @T.prim_func
    def parallel(x: T.Buffer((8,), "int8"), y: T.Buffer((8,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([8], "int8", "global")
        b_1 = T.Buffer((8,), "int8", data=b)
        c = T.allocate([8], "int8", "global")
        c_1 = T.Buffer((8,), "int8", data=c)
        for i in T.parallel(8):
            b_1[i] = x[i]
        for i in range(8):
            c_1[i] = x[7 - i]
        for i in T.parallel(8):
            y[i] = b_1[i] + c_1[i]

    # CHECK-LABEL: def stored_twice
    # CHECK: T.allocate
    @T.prim_func
    def stored_twice(x: T.Buffer((8,), "int8"), y: T.Buffer((8,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([8], "int8", "global")
        b_1 = T.Buffer((8,), "int8", data=b)
        for i in range(8):
            b_1[i] = x[i]
        b_1[3] = T.int8(0)
        for i in range(8):
            y[i] = b_1[i]

    # CHECK-LABEL: def unrolled
    # A row of two pixels as statements: the row's condition is evaluated once, the borders of the
    # column loop have copies, and zeros are not added.
    # CHECK-NOT: pad = T.allocate
    # CHECK: for r in range(2):
    # CHECK-NEXT: if i + r > 0 and i + r < 4:
    # CHECK-NOT: {{if|else}}
    # CHECK: s_1[c + 4] = s_1[c + 4] + x[i * 8 + r * 8 + c - 8] * w_1[c]
    # CHECK-NOT: {{if|else}}
    # CHECK: s_1[c] = s_1[c] + x[i * 8 + r * 8 + c - 8] * w_1[c + 4]
    # CHECK-NOT: {{if|else}}
    # CHECK: s_1[c + 4] = s_1[c + 4] + x[i * 8 + r * 8 + c - 4] * w_1[c + 4]
    # CHECK-NOT: {{if|else}}
    # CHECK: y[i * 8 + c]
    @T.prim_func
    def unrolled(x: T.Buffer((24,), "float32"), y: T.Buffer((32,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([0.5, 1.5, 2.5, 3.5, -1, -2, -3, -4], "float32", [8])
        w_1 = T.Buffer((8,), "float32", data=w)
        pad = T.allocate([60], "float32", "global")
        pad_1 = T.Buffer((60,), "float32", data=pad)
        for i, j, c in T.grid(5, 3, 4):
            pad_1[i * 12 + j * 4 + c] = T.if_then_else(
                1 <= i and i < 4 and 1 <= j, x[i * 8 + j * 4 + c - 12], T.float32(0))
        for i in range(4):
            s = T.allocate([8], "float32", "global")
            s_1 = T.Buffer((8,), "float32", data=s)
            for c in range(8):
                s_1[c] = T.float32(0)
            for r, k in T.grid(2, 2):
                for c in range(4):
                    s_1[c] = s_1[c] + pad_1[i * 12 + r * 12 + k * 4 + c] * w_1[k * 4 + c]
                for c in range(4):
                    s_1[c + 4] = s_1[c + 4] + pad_1[i * 12 + r * 12 + k * 4 + c + 4] * w_1[k * 4 + c]
            for c in range(8):
                y[i * 8 + c] = s_1[c]

    # CHECK-LABEL: def unrolled_any_weights
    # An infinite weight would turn the zero into a NaN.
    # CHECK: T.Mul(T.float32(0), w[
    @T.prim_func
    def unrolled_any_weights(x: T.Buffer((8,), "float32"), w: T.Buffer((2,), "float32"),
                             y: T.Buffer((8,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        pad = T.allocate([12], "float32", "global")
        pad_1 = T.Buffer((12,), "float32", data=pad)
        for j, c in T.grid(3, 4):
            pad_1[j * 4 + c] = T.if_then_else(1 <= j, x[j * 4 + c - 4], T.float32(0))
        s = T.allocate([4], "float32", "global")
        s_1 = T.Buffer((4,), "float32", data=s)
        for j in range(2):
            for c in range(4):
                s_1[c] = T.float32(0)
            for k, c in T.grid(2, 4):
                s_1[c] = s_1[c] + pad_1[j * 4 + k * 4 + c] * w[k]
            for c in range(4):
                y[j * 4 + c] = s_1[c]

    # CHECK-LABEL: def vectors
    # CHECK: T.allocate
    @T.prim_func
    def vectors(x: T.Buffer((8,), "int8"), y: T.Buffer((8,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([8], "int8", "global")
        b_1 = T.Buffer((8,), "int8", data=b)
        for i in range(8):
            b_1[i] = x[i]
        y[0:8] = b_1[0:8]

    # CHECK-LABEL: def wide_source
    # fuse-nests will keep the sum in one element, so it is not kept for the readers of the copy.
    # CHECK: b_1[i] = T.Cast("int8", T.max(s_1[i], 0))
    @T.prim_func
    def wide_source(x: T.Buffer((32,), "int32"), y: T.Buffer((8,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        s = T.allocate([8], "int32", "global")
        s_1 = T.Buffer((8,), "int32", data=s)
        b = T.allocate([8], "int8", "global")
        b_1 = T.Buffer((8,), "int8", data=b)
        for i in range(8):
            s_1[i] = 0
            for k in range(4):
                s_1[i] = s_1[i] + x[i * 4 + k]
        for i in range(8):
            b_1[i] = T.Cast("int8", T.max(s_1[i], 0))
        for i, k in T.grid(8, 8):
            y[i] = y[i] + b_1[k]

    # CHECK-LABEL: def write_between
    # CHECK: T.allocate
    @T.prim_func
    def write_between(x: T.Buffer((8,), "int8"), y: T.Buffer((8,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([8], "int8", "global")
        b_1 = T.Buffer((8,), "int8", data=b)
        for i in range(8):
            b_1[i] = x[i]
        for i in range(8):
            x[i] = T.int8(0)
        for i in range(8):
            y[i] = b_1[i]

    # CHECK-LABEL: def zero_extent
    # The loop does not run: nothing is written.
    # CHECK: T.allocate
    @T.prim_func
    def zero_extent(x: T.Buffer((8,), "int8"), y: T.Buffer((8,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([8], "int8", "global")
        b_1 = T.Buffer((8,), "int8", data=b)
        for i, j in T.grid(8, 0):
            b_1[i] = x[i]
        for i in range(8):
            y[i] = b_1[i]

# COUNT: {{^ *11 +}}forward-producers.buffers
