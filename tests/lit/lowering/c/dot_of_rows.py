# Dot products of 8 and 16 elements in memory, of each signedness.
# RUN: rm -rf %t && tenon compile %plain %s --emit=c -o %t
# RUN: FileCheck %s --input-file=%t/tvmgen_default.c
# RUN: %python %S/../../tools/Inputs/npy.py %t/q.npy i1 16 1 -2 127 -128 5 6 7 8 -1 0 3 -128 127 -7 100 -100
# RUN: %python %S/../../tools/Inputs/npy.py %t/u.npy u1 16 0 1 2 100 128 200 254 255 255 255 3 128 1 77 90 250
# RUN: tenon run %s --input %t/q.npy --input %t/u.npy --output y=%t/y.npy
# RUN: %python %S/../../tools/Inputs/npy.py %t/y.npy | FileCheck %s --check-prefix=INTS
# RUN: tenon run %s --engine=c --cc=%cc --input %t/q.npy --input %t/u.npy --expect y=%t/y.npy
# RUN: %if llvm %{ tenon run %s --engine=jit --input %t/q.npy --input %t/u.npy --expect y=%t/y.npy %}
# RUN: %if llvm %{ tenon compile %s --emit=asm --target=cortex-m55 -O2 -o - | FileCheck %s --check-prefix=MVE %}
# INTS: <i4 (4,) -39927 85264 222980 1962
# MVE-DAG: vmla{{v|va}}.s8
# MVE-DAG: vmla{{v|va}}.s16
from tvm.script import tir as T

@T.prim_func
def main(q: T.Buffer((16,), "int8"), u: T.Buffer((16,), "uint8"), y: T.Buffer((4,), "int32")):
    # CHECK: y[0] = tenon_dp16a_s8_u8(&q[0], &u[0], 5);
    y[0] = T.dp4a("int32", q[0:16], u[0:16], 5)
    # CHECK: y[1] = tenon_dp16a_s8_s8(&q[0], &q[0], 0);
    y[1] = T.dp4a("int32", q[0:16], q[0:16], 0)
    # CHECK: y[2] = (int32_t)(uint32_t)tenon_dp4a_u8_u8(&u[8] + 4, &u[8] + 4, tenon_dp4a_u8_u8(&u[8], &u[8], (int32_t)7U));
    y[2] = T.Cast("int32", T.dp4a("uint32", u[8:16], u[8:16], T.uint32(7)))
    # CHECK: y[3] = tenon_dp4a_u8_s8(&u[0] + 4, &q[8] + 4, tenon_dp4a_u8_s8(&u[0], &q[8], 0));
    y[3] = T.dp4a("int32", u[0:8], q[8:16], 0)
