# Rows of arithmetic that fill no whole number of vectors: the last vector of a row overlaps the one before it.
# RUN: tenon-opt %s --pipeline=choose-blocks --verify-schedules -o %t.py --timing 2>&1 | FileCheck %s --check-prefix=COUNT
# RUN: FileCheck %s < %t.py
# COUNT: 2 {{ *}}choose-blocks.read_back
# RUN: mkdir -p %t.in && %python %S/Inputs/rows_inputs.py %t.in
# RUN: tenon run %s --input x=%t.in/f60.npy --input f=%t.in/f15.npy --output y=%t.y.npy -q
# RUN: tenon run %t.py --input x=%t.in/f60.npy --input f=%t.in/f15.npy --expect y=%t.y.npy -q
# RUN: tenon run %t.py --input x=%t.in/f60.npy --input f=%t.in/f15.npy --expect y=%t.y.npy --engine=jit -q

from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    # Vectors of a row that is read and stored do not overlap: lanes of two vectors would be added twice.
    # CHECK-LABEL: def in_place(
    # CHECK: inout_1[i0 * 15:i0 * 15 + 8] = inout_1[i0 * 15:i0 * 15 + 8] + f_1[0:8]
    # CHECK-NEXT: inout_1[i0 * 15 + 8:i0 * 15 + 8 + 4] =
    # CHECK-NEXT: inout_1[i0 * 15 + 12:i0 * 15 + 12 + 2] =
    # CHECK-NEXT: inout_1[i0 * 15 + 14] = inout_1[i0 * 15 + 14] + f_1[14]
    @T.prim_func(private=True)
    def in_place(f: T.Buffer((15,), "float32"), inout: T.Buffer((60,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j in T.grid(4, 15):
            inout[i * 15 + j] = inout[i * 15 + j] + f[j]

    @T.prim_func
    def main(x: T.Buffer((60,), "float32"), f: T.Buffer((15,), "float32"), y: T.Buffer((60,), "float32")):
        T.evaluate(T.call_extern("int32", "row", x.data, f.data, y.data))
        T.evaluate(T.call_extern("int32", "in_place", f.data, y.data))

    # CHECK-LABEL: def row(
    # CHECK: y_1[i0 * 15:i0 * 15 + 8] = x_1[i0 * 15:i0 * 15 + 8] + {{.*}}
    # CHECK: y_1[i0 * 15 + 7:i0 * 15 + 7 + 8] = x_1[i0 * 15 + 7:i0 * 15 + 7 + 8] + {{.*}}
    @T.prim_func(private=True)
    def row(x: T.Buffer((60,), "float32"), f: T.Buffer((15,), "float32"), y: T.Buffer((60,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j in T.grid(4, 15):
            y[i * 15 + j] = x[i * 15 + j] + f[j] * T.float32(0.5)
