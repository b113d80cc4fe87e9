# RUN: tenon-opt %s --pipeline=expand-math --timing 2>%t.counts | FileCheck %s
# RUN: FileCheck %s --check-prefix=COUNT <%t.counts
# RUN: tenon-opt %s --pipeline=expand-math,expand-math | FileCheck %s
# RUN: tenon-opt %s --pipeline=expand-math,lower-vectors | FileCheck %s --check-prefix=SCALAR
# COUNT: {{^ *4 +}}expand-math.calls
# SCALAR-LABEL: def exponential(
# SCALAR: exp_powers_1[
# SCALAR-NOT: float32x4
# SCALAR-LABEL: def vectors(
# SCALAR: T.reinterpret("float32", T.shift_left(
# SCALAR-NOT: float32x4
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # Vectors of exp and erf share a table of powers of two. One lane is a call of the library.
    # CHECK-LABEL: def exponential(
    # CHECK: exp_powers = T.allocate_const([4607182418800017408, {{.*}}], "int64", [32])
    # CHECK: y[i * 4:i * 4 + 4] = T.Let({{.*}}T.Select(x_1 > T.Broadcast(T.float32(88.7228{{[0-9]*}}), 4), T.Broadcast(T.float32("inf"), 4), T.Select(
    # CHECK-SAME: T.Cast("float32x4",
    # CHECK-SAME: exp_powers_1[
    # CHECK: y[i * 4:i * 4 + 4] = T.Let(
    # CHECK-SAME: exp_powers_1[
    # CHECK-SAME: exp_powers_1[
    # CHECK: z[i] = T.exp(x[i]) + T.erf(x[i])
    @T.prim_func
    def exponential(x: T.Buffer((8,), "float32"), y: T.Buffer((8,), "float32"), z: T.Buffer((8,), "float32")):
        for i in range(2):
            y[i * 4:i * 4 + 4] = T.exp(x[i * 4:i * 4 + 4] + x[i:i + 4])
        for i in range(2):
            y[i * 4:i * 4 + 4] = T.erf(x[i * 4:i * 4 + 4])
        for i in range(8):
            z[i] = T.exp(x[i]) + T.erf(x[i])

    # The argument is computed once. The last steps choose the form, and restore the sign.
    # CHECK-LABEL: def one_lane(
    # CHECK-NOT: T.tanh
    # CHECK: T.copysign(T.Select(a >= T.float32(10), T.float32(1), T.Select(from_one, T.float32(1) - q, q)), x_1)
    # CHECK-SAME: where={a: T.fabs(x_1)}), where={x_1: x[i] * T.float32(2)})
    @T.prim_func
    def one_lane(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        for i in range(4):
            y[i] = T.tanh(x[i] * T.float32(2))

    # Other dtypes and functions stay.
    # CHECK-LABEL: def others(
    # CHECK: y[i] = T.tanh(x[i])
    # CHECK: z[i] = T.sinh(z[i])
    @T.prim_func
    def others(x: T.Buffer((4,), "float64"), y: T.Buffer((4,), "float64"), z: T.Buffer((4,), "float32")):
        for i in range(4):
            y[i] = T.tanh(x[i])
            z[i] = T.sinh(z[i])

    # CHECK-LABEL: def vectors(
    # CHECK-NOT: T.tanh
    # CHECK: T.reinterpret("float32x4", T.shift_left(
    @T.prim_func
    def vectors(x: T.Buffer((8,), "float32"), y: T.Buffer((8,), "float32")):
        for i in range(2):
            y[i * 4:i * 4 + 4] = T.tanh(x[i * 4:i * 4 + 4])
