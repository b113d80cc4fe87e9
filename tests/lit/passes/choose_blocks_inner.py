# Nests inside of a loop become blocks, also where a function as a whole is not an operator: the steps of a recurrent
# network need each other.
# RUN: tenon-opt %s --pipeline='choose-blocks{registers=16 register-bytes=32}' -o %t.py --timing 2>&1 | FileCheck %s --check-prefix=COUNT
# RUN: FileCheck %s < %t.py
# COUNT: 4 {{ *}}choose-blocks.sums
# The results stay the same.
# RUN: mkdir -p %t.in && %python %S/Inputs/rows_inputs.py %t.in
# RUN: tenon run %s --input x=%t.in/f24.npy --input u=%t.in/f64.npy --output y=%t.y.npy -q
# RUN: tenon run %t.py --input x=%t.in/f24.npy --input u=%t.in/f64.npy --expect y=%t.y.npy -q
# RUN: tenon run %s --input x=%t.in/f24.npy --input u=%t.in/f64.npy --expect y=%t.y.npy --engine=jit -O3 -q

from tvm.script import tir as T

# Constants have the order of the lanes.
# CHECK: weights = T.allocate_const([1.0, 7.0, 13.0, 19.0, 25.0, 31.0, 37.0, 43.0, -2.0, -8.0,
# CHECK: for t in range(4):
# The sum reads the input at the place of its step.
# CHECK: x_1[t * 6 + {{.*}}]
# CHECK: block4_1[0:8] = block4_1[0:8] + T.Broadcast(hidden_2[i1], 8) * u_1[i1 * 8:i1 * 8 + 8]
@T.prim_func
def main(x: T.Buffer((24,), "float32"), u: T.Buffer((64,), "float32"), y: T.Buffer((32,), "float32")):
    T.func_attr({"tir.noalias": T.bool(True)})
    w = T.allocate_const([1, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11, -12, 13, -14, 15, -16, 17, -18, 19, -20, 21, -22, 23, -24, 25, -26, 27, -28, 29, -30, 31, -32, 33, -34, 35, -36, 37, -38, 39, -40, 41, -42, 43, -44, 45, -46, 47, -48], "float32", [48])
    hidden = T.allocate([8], "float32", "global")
    sums = T.allocate([8], "float32", "global")
    w_1 = T.Buffer((48,), data=w)
    hidden_1 = T.Buffer((8,), data=hidden)
    sums_1 = T.Buffer((8,), data=sums)
    for c in range(8):
        hidden_1[c] = T.float32(0)
    for t in range(4):
        for c in range(8):
            sums_1[c] = T.float32(1)
            for k in range(6):
                sums_1[c] = sums_1[c] + x[t * 6 + k] * w_1[c * 6 + k]
        for c in range(8):
            y[t * 8 + c] = sums_1[c]
            for k in range(8):
                y[t * 8 + c] = y[t * 8 + c] + hidden_1[k] * u[k * 8 + c]
        for c in range(8):
            hidden_1[c] = T.max(y[t * 8 + c], T.float32(0)) * T.float32(0.001)
