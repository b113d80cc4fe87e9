# RUN: tenon-opt %s --pipeline=fuse-nests | FileCheck %s
# RUN: tenon-opt %s --pipeline=fuse-nests --timing 2>%t >/dev/null
# RUN: FileCheck %s --check-prefix=COUNT --input-file %t
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # CHECK-LABEL: def alias
    # x and y may be the same memory.
    # CHECK: T.allocate([8]
    @T.prim_func
    def alias(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32")):
        b = T.allocate([8], "int32", "global")
        b_1 = T.Buffer((8,), "int32", data=b)
        for i in range(8):
            b_1[i] = x[7 - i]
        for i in range(8):
            y[i] = b_1[i]

    # CHECK-LABEL: def block
    # The nests share 4 blocks of 8 elements, and then each element.
    # CHECK: for f in range(4):
    # CHECK: for c in range(8):
    # CHECK-NEXT: b = T.allocate([1], "int32", "global")
    # CHECK: b_1[0] = x[f * 8 + c]
    # CHECK: y[f * 8 + c] = b_1[0] * 2
    @T.prim_func
    def block(x: T.Buffer((32,), "int32"), y: T.Buffer((32,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([32], "int32", "global")
        b_1 = T.Buffer((32,), "int32", data=b)
        for f in range(4):
            y[f * 8] = 0
            for c in range(8):
                b_1[f * 8 + c] = x[f * 8 + c]
        for i, j, c in T.grid(2, 2, 8):
            y[i * 16 + j * 8 + c] = b_1[i * 16 + j * 8 + c] * 2

    # CHECK-LABEL: def convolution
    # CHECK: for i, c in T.grid(6, 4):
    # CHECK-NEXT: s = T.allocate([1], "int32", "global")
    # CHECK-NOT: T.allocate
    # CHECK: s_1[0] = 0
    # CHECK: for k in range(3):
    # CHECK-NEXT: s_1[0] = s_1[0] + x[i * 4 + k * 4 + c]
    # CHECK: y[i * 4 + c] = T.Cast("int8", T.max(T.min(s_1[0], 127), -128))
    @T.prim_func
    def convolution(x: T.Buffer((32,), "int32"), y: T.Buffer((24,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        s = T.allocate([24], "int32", "global")
        s_1 = T.Buffer((24,), "int32", data=s)
        for i, c in T.grid(6, 4):
            s_1[i * 4 + c] = 0
            for k in range(3):
                s_1[i * 4 + c] = s_1[i * 4 + c] + x[i * 4 + k * 4 + c]
        for i, c in T.grid(6, 4):
            y[i * 4 + c] = T.Cast("int8", T.max(T.min(s_1[i * 4 + c], 127), -128))

    # CHECK-LABEL: def exponential
    # The sums stay in lanes: exp has none.
    # CHECK: for i in range(2):
    # CHECK-NEXT: s = T.allocate([8], "float32", "global")
    @T.prim_func
    def exponential(x: T.Buffer((64,), "float32"), y: T.Buffer((16,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        s = T.allocate([16], "float32", "global")
        s_1 = T.Buffer((16,), "float32", data=s)
        for i, c in T.grid(2, 8):
            s_1[i * 8 + c] = T.float32(0)
            for k in range(4):
                s_1[i * 8 + c] = s_1[i * 8 + c] + x[i * 32 + k * 8 + c]
        for i, c in T.grid(2, 8):
            y[i * 8 + c] = T.exp(s_1[i * 8 + c])

    # CHECK-LABEL: def extern
    # CHECK: T.allocate([8]
    @T.prim_func
    def extern(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([8], "int32", "global")
        b_1 = T.Buffer((8,), "int32", data=b)
        for i in range(8):
            b_1[i] = x[i] + 1
        T.evaluate(T.call_extern("int32", "f", y.data))
        for i in range(8):
            y[i] = b_1[i]

    # CHECK-LABEL: def guarded
    # If the guard does not hold, the element is read unwritten, as before.
    # CHECK: for i in range(8):
    # CHECK-NEXT: b = T.allocate([1]
    # CHECK: if x[i] > 0:
    # CHECK: if x[i] > 0:
    @T.prim_func
    def guarded(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([8], "int32", "global")
        b_1 = T.Buffer((8,), "int32", data=b)
        for i in range(8):
            if x[i] > 0:
                b_1[i] = x[i] + 1
        for i in range(8):
            if x[i] > 0:
                y[i] = b_1[i]

    # CHECK-LABEL: def neighbours
    # An iteration reads what later ones write.
    # CHECK: T.allocate([9]
    @T.prim_func
    def neighbours(x: T.Buffer((9,), "int32"), y: T.Buffer((9,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([9], "int32", "global")
        b_1 = T.Buffer((9,), "int32", data=b)
        for i in range(9):
            b_1[i] = x[i]
        for i in range(9):
            y[i] = b_1[8 - i] + b_1[i]

    # CHECK-LABEL: def other_readers
    # CHECK: T.allocate([8]
    @T.prim_func
    def other_readers(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([8], "int32", "global")
        b_1 = T.Buffer((8,), "int32", data=b)
        for i in range(8):
            b_1[i] = x[i] * 2
        for i in range(8):
            y[i] = b_1[i]
        for i, k in T.grid(8, 8):
            y[i] = y[i] + b_1[k]

    # CHECK-LABEL: def other_sizes
    # CHECK: T.allocate([8]
    @T.prim_func
    def other_sizes(x: T.Buffer((8,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([8], "int32", "global")
        b_1 = T.Buffer((8,), "int32", data=b)
        for i in range(8):
            b_1[i] = x[i] * 2
        for i in range(4):
            y[i] = b_1[i]

    # CHECK-LABEL: def outer_loop
    # The buffer stays live from one iteration of `o` to the next.
    # CHECK: T.allocate([4]
    @T.prim_func
    def outer_loop(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([4], "int32", "global")
        b_1 = T.Buffer((4,), "int32", data=b)
        for o, i in T.grid(2, 4):
            if o == 0:
                b_1[i] = x[i]
            y[o * 4 + i] = b_1[i]

    # CHECK-LABEL: def parallel
    # CHECK: T.allocate([8]
    @T.prim_func
    def parallel(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([8], "int32", "global")
        b_1 = T.Buffer((8,), "int32", data=b)
        for i in T.parallel(8):
            b_1[i] = x[i] + 1
        for i in range(8):
            y[i] = b_1[i]

    # CHECK-LABEL: def sunk_concatenation
    # Each part is computed at its place in the whole.
    # CHECK-NOT: a = T.allocate
    # CHECK-NOT: b = T.allocate
    # CHECK: for i in range(8):
    # CHECK-NEXT: c_1[i * -1 + 7] = T.max(x[i], 0)
    # CHECK: for i in range(4):
    # CHECK-NEXT: c_1[i * -1 + 11] = T.min(x[i], 0)
    # CHECK: for i, k in T.grid(12, 12):
    @T.prim_func
    def sunk_concatenation(x: T.Buffer((8,), "int32"), y: T.Buffer((12,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        a = T.allocate([8], "int32", "global")
        a_1 = T.Buffer((8,), "int32", data=a)
        b = T.allocate([4], "int32", "global")
        b_1 = T.Buffer((4,), "int32", data=b)
        c = T.allocate([12], "int32", "global")
        c_1 = T.Buffer((12,), "int32", data=c)
        for i in range(8):
            a_1[7 - i] = T.max(x[i], 0)
        for i in range(4):
            b_1[3 - i] = T.min(x[i], 0)
        for i in range(8):
            c_1[i] = a_1[i]
        for i in range(4):
            c_1[i + 8] = b_1[i]
        for i, k in T.grid(12, 12):
            y[i] = y[i] + c_1[k]

    # CHECK-LABEL: def sunk_layout
    # The sums are in blocks of 4 channels; the result has the channels one after the other.
    # CHECK-NOT: T.allocate([32]
    # CHECK: for i, c in T.grid(8, 4):
    # CHECK: y[c * 8 + i] = T.max(s_1[0], T.float32(0))
    @T.prim_func
    def sunk_layout(x: T.Buffer((96,), "float32"), y: T.Buffer((32,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        t = T.allocate([32], "float32", "global")
        t_1 = T.Buffer((32,), "float32", data=t)
        for i, c in T.grid(8, 4):
            s = T.allocate([1], "float32", "global")
            s_1 = T.Buffer((1,), "float32", data=s)
            s_1[0] = T.float32(0)
            for k in range(3):
                s_1[0] = s_1[0] + x[i * 12 + k * 4 + c]
            t_1[i * 4 + c] = s_1[0]
        for c, i in T.grid(4, 8):
            y[c * 8 + i] = T.max(t_1[i * 4 + c], T.float32(0))

    # CHECK-LABEL: def sunk_not_all
    # Half of the stored elements are not read.
    # CHECK: T.allocate([32]
    @T.prim_func
    def sunk_not_all(x: T.Buffer((32,), "int32"), y: T.Buffer((16,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        t = T.allocate([32], "int32", "global")
        t_1 = T.Buffer((32,), "int32", data=t)
        for i in range(32):
            t_1[i] = x[31 - i]
        for c, i in T.grid(4, 4):
            y[c * 4 + i] = t_1[i * 8 + c]

    # CHECK-LABEL: def sunk_read_between
    # The first nest would overwrite what the second one reads.
    # CHECK: T.allocate([32]
    @T.prim_func
    def sunk_read_between(x: T.Buffer((32,), "int32"), y: T.Buffer((32,), "int32"),
                          z: T.Buffer((32,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        t = T.allocate([32], "int32", "global")
        t_1 = T.Buffer((32,), "int32", data=t)
        for i in range(32):
            t_1[i] = x[31 - i]
        for i in range(32):
            z[i] = y[i]
        for c, i in T.grid(4, 8):
            y[c * 8 + i] = t_1[i * 4 + c]

    # CHECK-LABEL: def sunk_rows
    # Blocks of sums become results in the loop that copies them.
    # CHECK-NOT: T.allocate([32]
    # CHECK: y[i * 32 + o * 16 + c] = T.max(s_1[c], T.float32(0))
    @T.prim_func
    def sunk_rows(x: T.Buffer((128,), "float32"), y: T.Buffer((128,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            t = T.allocate([32], "float32", "global")
            t_1 = T.Buffer((32,), "float32", data=t)
            for o in range(2):
                s = T.allocate([16], "float32", "global")
                s_1 = T.Buffer((16,), "float32", data=s)
                for c in range(16):
                    s_1[c] = T.float32(0)
                for k, c in T.grid(2, 16):
                    s_1[c] = s_1[c] + x[i * 32 + k * 16 + c]
                for c in range(16):
                    t_1[o * 16 + c] = s_1[c]
            for a, c in T.grid(8, 4):
                y[i * 32 + a * 4 + c] = T.max(t_1[a * 4 + c], T.float32(0))

    # CHECK-LABEL: def two_convolutions
    # The second nest reads all channels of a pixel for each of its channels: they stay two nests.
    # CHECK: T.allocate([32]
    @T.prim_func
    def two_convolutions(x: T.Buffer((32,), "int32"), y: T.Buffer((32,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([32], "int32", "global")
        b_1 = T.Buffer((32,), "int32", data=b)
        for i, c in T.grid(4, 8):
            b_1[i * 8 + c] = x[i * 8 + c] + 1
        for i, c in T.grid(4, 8):
            y[i * 8 + c] = 0
            for k in range(8):
                y[i * 8 + c] = y[i * 8 + c] + b_1[i * 8 + k]

    # CHECK-LABEL: def vectors
    # CHECK: T.allocate([8]
    @T.prim_func
    def vectors(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([8], "int32", "global")
        b_1 = T.Buffer((8,), "int32", data=b)
        for i in range(2):
            b_1[i * 4:i * 4 + 4] = x[i * 4:i * 4 + 4]
        for i in range(2):
            y[i * 4:i * 4 + 4] = b_1[i * 4:i * 4 + 4]

    # CHECK-LABEL: def write_between
    # The second nest must not move past the store of y, nor the first one past the store of x.
    # CHECK: T.allocate([8]
    @T.prim_func
    def write_between(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([8], "int32", "global")
        b_1 = T.Buffer((8,), "int32", data=b)
        for i in range(8):
            b_1[i] = x[i] + 1
        y[0] = 1
        x[0] = 1
        for i in range(8):
            y[i] = b_1[i]

# COUNT: {{^ *[0-9]+ +}}fuse-nests.buffers
