# Dot products of four lanes of each signedness, added to signed and unsigned numbers; a mask of lanes as
# numbers; an undefined value is 0 in C.
# RUN: rm -rf %t && tenon compile %plain %s --emit=c -o %t
# RUN: FileCheck %s --input-file=%t/tvmgen_default.c
# RUN: %python %S/../../tools/Inputs/npy.py %t/q.npy i1 8 1 -2 127 -128 5 6 7 8
# RUN: %python %S/../../tools/Inputs/npy.py %t/u.npy u1 8 0 1 2 100 128 200 254 255
# RUN: tenon run %s --input %t/q.npy --input %t/u.npy --output y=%t/y.npy
# RUN: %python %S/../../tools/Inputs/npy.py %t/y.npy | FileCheck %s --check-prefix=INTS
# RUN: tenon run %s --engine=c --cc=%cc --input %t/q.npy --input %t/u.npy --expect y=%t/y.npy
# RUN: %if llvm %{ tenon run %s --engine=jit --input %t/q.npy --input %t/u.npy --expect y=%t/y.npy %}
# INTS: <i4 (8,) -12543 26213 1 1 0 0 0 17
from tvm.script import tir as T

@T.prim_func
def main(q: T.Buffer((8,), "int8"), u: T.Buffer((8,), "uint8"), y: T.Buffer((8,), "int32")):
    # CHECK: y[0] = tenon_dp4a_s8_u8(&q[0], &u[0], 5);
    y[0] = T.dp4a("int32", q[0:4], u[0:4], 5)
    # CHECK: y[1] = (int32_t)(uint32_t)tenon_dp4a_u8_u8(&u[0], &u[4], (int32_t)5U);
    y[1] = T.Cast("int32", T.dp4a("uint32", u[0:4], u[4:8], T.uint32(5)))
    y[2:6] = T.Cast("int32x4", T.get_active_lane_mask("uint1x4", 0, 2))
    y[6] = 0
    # CHECK: if (0 != y[6]) {
    if T.undef() != y[6]:
        y[6] = 0
    y[7] = 17
