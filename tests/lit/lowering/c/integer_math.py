# Rounding, magnitude and classification of integers, which <math.h> lacks, and of floats: the interpreter's
# results, also in LLVM's code (../llvm/integer_math.test).
# RUN: rm -rf %t && tenon compile %plain %s --emit=c -o %t
# RUN: FileCheck %s --input-file=%t/tvmgen_default.c
# RUN: %python %S/../../tools/Inputs/npy.py %t/x.npy f4 8 1 -2.5 inf -inf nan 0 1e30 -1e-30
# RUN: %python %S/../../tools/Inputs/npy.py %t/q.npy i4 8 7 -7 2147483647 -2147483648 0 1 12 -100
# RUN: %python %S/../../tools/Inputs/npy.py %t/u.npy u1 8 0 1 2 100 128 200 254 255
# RUN: tenon run %s --input %t/x.npy --input %t/q.npy --input %t/u.npy --output y=%t/y.npy --output o=%t/o.npy
# RUN: %python %S/../../tools/Inputs/npy.py %t/y.npy | FileCheck %s --check-prefix=FLOATS
# RUN: %python %S/../../tools/Inputs/npy.py %t/o.npy | FileCheck %s --check-prefix=INTS
# RUN: tenon run %s --engine=c --cc=%cc '--cflags=-std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror' --input %t/x.npy --input %t/q.npy --input %t/u.npy --expect y=%t/y.npy --expect o=%t/o.npy
# RUN: tenon run %s --engine=c --cc=%cc --c-vectors=gnu --input %t/x.npy --input %t/q.npy --input %t/u.npy --expect y=%t/y.npy --expect o=%t/o.npy

# FLOATS: <f4 (8,) 2.0 7.25 inf inf nan 1.0 inf 1.0
# INTS: <i4 (96,) 0 0 1 1 0 0 0 0
# INTS-SAME: {{ }}1 1 0 0 0 1 1 1
# INTS-SAME: {{ }}0 0 0 0 1 0 0 0
# INTS-SAME: {{ }}4 4 4 4 4 4 4 4
# INTS-SAME: {{ }}7 7 2147483647 -2147483648 0 1 12 100
# INTS-SAME: {{ }}0 1 2 100 128 200 254 255
# INTS-SAME: {{ }}35 -35 2147483643 -2147483648 0 5 60 -500
# INTS-SAME: {{ }}7 7 2147483647 -2147483648 0 1 12 100
# INTS-SAME: {{ }}1 1 0 0 0 1 1 1
# INTS-SAME: {{ }}0 0 1 1 0 0 0 0
# INTS-SAME: {{ }}1 1 1 1 1 1 1 1
# INTS-SAME: {{ }}6 8 2147483646 2147483647 1 0 11 99
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((8,), "float32"), q: T.Buffer((8,), "int32"), u: T.Buffer((8,), "uint8"), y: T.Buffer((8,), "float32"), o: T.Buffer((96,), "int32")):
    for i in range(8):
        o[i] = T.Cast("int32", T.Call("bool", "tir.isinf", [x[i]]))
        o[8 + i] = T.Cast("int32", T.Call("bool", "tir.isfinite", [x[i]]))
        o[16 + i] = T.Cast("int32", T.Call("bool", "tir.isnan", [T.Cast("float16", x[i])]))
        # The operand runs, since it may call a function.
        # CHECK: o[24 + i] = (int32_t)((void)(q[i]), 0) + (int32_t)((void)(q[i]), 0) * 2 + (int32_t)((void)(q[i]), 1) * 4;
        o[24 + i] = T.Cast("int32", T.Call("bool", "tir.isnan", [q[i]])) + T.Cast("int32", T.Call("bool", "tir.isinf", [q[i]])) * 2 + T.Cast("int32", T.Call("bool", "tir.isfinite", [q[i]])) * 4
        # CHECK: const int32_t v = q[i];
        # CHECK-NEXT: o[32 + i] = v >= 0 ? v : (int32_t)(0U - (uint32_t)v);
        o[32 + i] = T.Call("int32", "tir.fabs", [q[i]])
        # CHECK: o[40 + i] = (int32_t)u[i];
        o[40 + i] = T.Cast("int32", T.Call("uint8", "tir.fabs", [u[i]]))
        o[48 + i] = T.Call("int32", "tir.floor", [q[i]]) + T.Call("int32", "tir.ceil", [q[i]]) + T.Call("int32", "tir.trunc", [q[i]]) + T.Call("int32", "tir.round", [q[i]]) + T.Call("int32", "tir.nearbyint", [q[i]])
        # A value that is computed on a condition only.
        # CHECK: o[88 + i] = q[i] < (-7) ? (v_1 = (int32_t)((uint32_t)q[i] + 1U), v_1 >= 0 ? v_1 : (int32_t)(0U - (uint32_t)v_1)) : (v_2 = {{.*}});
        o[88 + i] = T.if_then_else(q[i] < -7, T.Call("int32", "tir.fabs", [q[i] + 1]), T.Call("int32", "tir.fabs", [q[i] - 1]))
        y[i] = T.Call("float32", "tir.fma", [x[i], x[i], T.float32(1)])
    o[56:64] = T.Call("int32x8", "tir.fabs", [q[0:8]])
    o[64:72] = T.Cast("int32x8", T.Call("boolx8", "tir.isfinite", [x[0:8]]))
    o[72:80] = T.Cast("int32x8", T.Call("boolx8", "tir.isinf", [x[0:8]]))
    o[80:88] = T.Cast("int32x8", T.Call("boolx8", "tir.isfinite", [q[0:8]]))
