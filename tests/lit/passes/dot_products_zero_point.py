# A zero point in a constant: the code reads it where it pads, and the start values have its products with the weights.
# RUN: tenon-opt %s --pipeline=dot-products --verify-schedules --timing -o %t.py 2>&1 | FileCheck %s --check-prefix=READ
# READ: {{^ *1 +}}dot-products.read_back
# RUN: FileCheck %s < %t.py
# RUN: %python %S/../tools/Inputs/npy.py %t.x.npy i1 16 1 -128 127 4 5 6 7 8 9 -9 -8 -7 -6 -5 -4 -3
# RUN: tenon run %s --engine=interp --input %t.x.npy --output %t.y.npy
# RUN: tenon run %t.py --engine=interp --input %t.x.npy --expect %t.y.npy
# CHECK: starts = T.allocate_const(
# CHECK: if {{.*}}
# CHECK: else
# CHECK: packed_1[{{.*}}] = T.Cast("int8", T.Cast("int16", zero_1[0]))
# CHECK: T.dp4a(
# from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((16,), "int8"), y: T.Buffer((8,), "int32")):
    T.func_attr({"tir.noalias": T.bool(True)})
    zero = T.allocate_const([-77], "int32", [1])
    zero_1 = T.Buffer((1,), "int32", data=zero)
    w = T.allocate_const([-2, 0, -6, 3, 6, -5, -7, -7, -9, 3, 8, 0, -8, -2, 7, 8, 2, -1, -4, -6, -1, -3, -9, -1, -1, -3, -4, 0, 0, 2, -7, 1, 3, 7, -2, -4, -2, 6, -1, -7, 8, 0, -9, 0, 9, 0, 7, -3, 4, 4, 0, 4, 5, -4, -2, 0, -1, -8, -7, -8, 5, -1, 7, 8, 6, 1, -5, -3, -7, 4, -3, 5, -1, -4, 2, 4, 9, 1, 8, -3, 1, -6, -8, -2, -1, 9, -2, -6, 1, -4, 0, 5, -9, -8, 2, -7, 0, 1, -9, 1, 0, 1, -5, 4, -7, 0, -3, 5, 0, -5, -1, 3, -4, 1, 9, -9, 2, -8, 5, -4, 2, 2, 0, 9, -6, 5, -3, 4], "int8", [128])
    w_1 = T.Buffer((128,), "int8", data=w)
    for c in range(8):
        y[c] = 0
        for k in range(16):
            y[c] = y[c] + T.if_then_else(k < 13, T.Cast("int32", T.Cast("int16", x[k]) - T.Cast("int16", zero_1[0])), 0) * T.Cast("int32", w_1[c * 16 + k])
