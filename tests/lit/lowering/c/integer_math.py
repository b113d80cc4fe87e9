# Rounding, magnitude and classification of integers, which <math.h> lacks, and of floats: the interpreter's
# results, also in LLVM's code (../llvm/integer_math.test).
# RUN: rm -rf %t && mkdir %t
# RUN: %python %S/../../tools/Inputs/npy.py %t/x.npy f4 8 1 -2.5 inf -inf nan 0 1e30 -1e-30
# RUN: %python %S/../../tools/Inputs/npy.py %t/q.npy i4 8 7 -7 2147483647 -2147483648 0 1 12 -100
# RUN: %python %S/../../tools/Inputs/npy.py %t/u.npy u1 8 0 1 2 100 128 200 254 255
# RUN: tenon run %s --input %t/x.npy --input %t/q.npy --input %t/u.npy --output y=%t/y.npy --output o=%t/o.npy
# RUN: %python %S/../../tools/Inputs/npy.py %t/y.npy | FileCheck %s --check-prefix=FLOATS
# RUN: %python %S/../../tools/Inputs/npy.py %t/o.npy | FileCheck %s --check-prefix=INTS
# RUN: tenon run %s --engine=c --cc=%cc --input %t/x.npy --input %t/q.npy --input %t/u.npy --expect y=%t/y.npy --expect o=%t/o.npy
# RUN: tenon run %s --engine=c --cc=%cc --c-vectors=gnu --input %t/x.npy --input %t/q.npy --input %t/u.npy --expect y=%t/y.npy --expect o=%t/o.npy

# FLOATS: <f4 (8,) 2.0 7.25 inf inf nan 1.0 inf 1.0
# INTS: <i4 (88,) 0 0 1 1 0 0 0 0
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
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((8,), "float32"), q: T.Buffer((8,), "int32"), u: T.Buffer((8,), "uint8"), y: T.Buffer((8,), "float32"), o: T.Buffer((88,), "int32")):
    for i in range(8):
        o[i] = T.Cast("int32", T.Call("bool", "tir.isinf", [x[i]]))
        o[8 + i] = T.Cast("int32", T.Call("bool", "tir.isfinite", [x[i]]))
        o[16 + i] = T.Cast("int32", T.Call("bool", "tir.isnan", [T.Cast("float16", x[i])]))
        o[24 + i] = T.Cast("int32", T.Call("bool", "tir.isnan", [q[i]])) + T.Cast("int32", T.Call("bool", "tir.isinf", [q[i]])) * 2 + T.Cast("int32", T.Call("bool", "tir.isfinite", [q[i]])) * 4
        o[32 + i] = T.Call("int32", "tir.fabs", [q[i]])
        o[40 + i] = T.Cast("int32", T.Call("uint8", "tir.fabs", [u[i]]))
        o[48 + i] = T.Call("int32", "tir.floor", [q[i]]) + T.Call("int32", "tir.ceil", [q[i]]) + T.Call("int32", "tir.trunc", [q[i]]) + T.Call("int32", "tir.round", [q[i]]) + T.Call("int32", "tir.nearbyint", [q[i]])
        y[i] = T.Call("float32", "tir.fma", [x[i], x[i], T.float32(1)])
    o[56:64] = T.Call("int32x8", "tir.fabs", [q[0:8]])
    o[64:72] = T.Cast("int32x8", T.Call("boolx8", "tir.isfinite", [x[0:8]]))
    o[72:80] = T.Cast("int32x8", T.Call("boolx8", "tir.isinf", [x[0:8]]))
    o[80:88] = T.Cast("int32x8", T.Call("boolx8", "tir.isfinite", [q[0:8]]))
