# RUN: tenon-opt %s --pipeline=flatten-loops,simplify --timing 2>%t.counts | FileCheck %s
# RUN: FileCheck %s --check-prefix=COUNT <%t.counts
# RUN: tenon-opt %s --pipeline=flatten-loops,flatten-loops,simplify | FileCheck %s
# COUNT: {{^ *7 +}}flatten-loops.loops
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # `f` has one value for each k, so k stays.
    # CHECK-LABEL: def a_rows(
    # CHECK: for k, j in T.grid(256, 155):
    # CHECK-NEXT: y[k * 155 + j] = T.max(x[k * 155 + j] * f[k], T.float32(0))
    @T.prim_func
    def a_rows(x: T.Buffer((39680,), "float32"), f: T.Buffer((256,), "float32"), y: T.Buffer((39680,), "float32")):
        for k, i, j in T.grid(256, 31, 5):
            y[k * 155 + i * 5 + j] = T.max(x[k * 155 + i * 5 + j] * f[k], T.float32(0))

    # Two loops that become one, with sums inside of them.
    # CHECK-LABEL: def b_sums(
    # CHECK: for h, c in T.grid(13, 45):
    # CHECK-NEXT: y[h * 45 + c] = 0
    # CHECK-NEXT: for p, q in T.grid(3, 3):
    # CHECK-NEXT: y[h * 45 + c] = T.Cast("int32", x[h * 51 + p * 51 + q * 3 + c]) + y[h * 45 + c]
    @T.prim_func
    def b_sums(x: T.Buffer((765,), "int8"), y: T.Buffer((585,), "int32")):
        for h, w, c in T.grid(13, 15, 3):
            y[h * 45 + w * 3 + c] = 0
            for p, q in T.grid(3, 3):
                y[h * 45 + w * 3 + c] = y[h * 45 + w * 3 + c] + T.Cast("int32", x[h * 51 + p * 51 + w * 3 + q * 3 + c])

    # Three loops.
    # CHECK-LABEL: def c_all(
    # CHECK: for k in range(24):
    # CHECK-NEXT: y[k] = 7
    @T.prim_func
    def c_all(y: T.Buffer((24,), "int32")):
        for i, j, k in T.grid(2, 3, 4):
            y[i * 12 + j * 4 + k] = 7

    # Another order; a value that tells the loops apart; a pad; columns; a loop that is not serial.
    # CHECK-LABEL: def d_stay(
    # CHECK-COUNT-4: for i, j in T.grid(3, 4):
    # CHECK: for i in T.parallel(3):
    # CHECK-NEXT: for j in range(4):
    @T.prim_func
    def d_stay(x: T.Buffer((100,), "int32"), y: T.Buffer((100,), "int32")):
        for i, j in T.grid(3, 4):
            y[i * 4 + j] = x[j * 3 + i]
        for i, j in T.grid(3, 4):
            y[i * 4 + j] = x[i * 4 + j] + i
        for i, j in T.grid(3, 4):
            y[i * 5 + j] = x[i * 5 + j]
        for i, j in T.grid(3, 4):
            y[i * 8 + j * 2] = x[i * 8 + j * 2]
        for i in T.parallel(3):
            for j in range(4):
                y[i * 4 + j] = x[i * 4 + j]

    # The steps of a sum of integers, and of a long sum of floats; short ones of floats stay.
    # CHECK-LABEL: def e_steps(
    # CHECK: for l in range(124):
    # CHECK-NEXT: y[0] = x[l + 200] * x[l] + y[0]
    # CHECK: for l in range(124):
    # CHECK-NEXT: z[0] = z[0] + u[l]
    # CHECK: for k, l in T.grid(15, 4):
    # CHECK-NEXT: z[0] = z[0] + u[k * 4 + l]
    @T.prim_func
    def e_steps(x: T.Buffer((400,), "int32"), u: T.Buffer((124,), "float32"), y: T.Buffer((1,), "int32"), z: T.Buffer((1,), "float32")):
        for k, l in T.grid(31, 4):
            y[0] = x[k * 4 + l] * x[k * 4 + l + 200] + y[0]
        for k, l in T.grid(31, 4):
            z[0] = z[0] + u[k * 4 + l]
        for k, l in T.grid(15, 4):
            z[0] = z[0] + u[k * 4 + l]

    # Loads of columns.
    # CHECK-LABEL: def f_columns(
    # CHECK: for i, k in T.grid(64, 512):
    # CHECK-NEXT: y[i * 512 + k] = x[k * 64 + i]
    @T.prim_func
    def f_columns(x: T.Buffer((32768,), "int8"), y: T.Buffer((32768,), "int8")):
        for i, j, k in T.grid(64, 64, 8):
            y[i * 512 + j * 8 + k] = x[j * 512 + k * 64 + i]
