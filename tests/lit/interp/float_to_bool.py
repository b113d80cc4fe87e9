# A float converts to true if it is not 0, and so does NaN: for every dtype, scalar and vector, at run time in every engine, after
# passes that rewrite the conversion, and in constant folding.
# RUN: rm -rf %t && mkdir %t
# RUN: tenon run %s --input d=nan --output y=%t/y.npy
# RUN: %python %S/../tools/Inputs/npy.py %t/y.npy | FileCheck %s
# RUN: tenon run %s --input d=nan --expect %t/y.npy --engine=c --cc=%cc
# RUN: tenon run %s --input d=nan --expect %t/y.npy --engine=c --cc=%cc --c-vectors=gnu
# RUN: %if llvm %{ tenon run %s --input d=nan --expect %t/y.npy --engine=jit -O0 %}
# RUN: %if llvm %{ tenon run %s --input d=nan --expect %t/y.npy --engine=jit -O3 %}
# RUN: tenon-opt %s --pipeline='legalize-small-floats{storage=bits8},simplify,lower-intrin' > %t/bits8.py
# RUN: tenon run %t/bits8.py --input d=nan --expect %t/y.npy
# RUN: tenon-opt %s --pipeline='legalize-small-floats{storage=bits},lower-vectors,simplify' > %t/bits.py
# RUN: tenon run %t/bits.py --input d=nan --expect %t/y.npy
# RUN: tenon-opt %s --pipeline=simplify | FileCheck %s --check-prefix=FOLDED
# CHECK: <i4 (54,) 1 0 0 1 1 0 0 1 1 1 0 0 1 1 0 0 1 1 1 0 0 1 1 0 0 1 1 1 0 0 1 1 0 0 1 1 1 0 0 1 1 0 0 1 1 1 0 0 1 1 0 0 1 1
from tvm.script import tir as T

@T.prim_func
def main(d: T.float64, y: T.Buffer((54,), "int32")):
    a0 = T.decl_buffer((4,), "float16")
    a0[0] = T.Cast("float16", d)
    a0[1] = T.Cast("float16", 0)
    a0[2] = T.Cast("float16", T.float64(-0.0))
    a0[3] = T.Cast("float16", T.float64(-0.25))
    for i in range(4):
        y[0 + i] = T.Cast("int32", T.Cast("bool", a0[i]))
    y[T.Ramp(4, 1, 4)] = T.Cast("int32x4", T.Cast("boolx4", a0[T.Ramp(0, 1, 4)]))
    # FOLDED: y[8] = 1{{$}}
    y[8] = T.Cast("int32", T.Cast("bool", T.float16("nan")))
    a1 = T.decl_buffer((4,), "bfloat16")
    a1[0] = T.Cast("bfloat16", d)
    a1[1] = T.Cast("bfloat16", 0)
    a1[2] = T.Cast("bfloat16", T.float64(-0.0))
    a1[3] = T.Cast("bfloat16", T.float64(-0.25))
    for i in range(4):
        y[9 + i] = T.Cast("int32", T.Cast("bool", a1[i]))
    y[T.Ramp(13, 1, 4)] = T.Cast("int32x4", T.Cast("boolx4", a1[T.Ramp(0, 1, 4)]))
    # FOLDED: y[17] = 1{{$}}
    y[17] = T.Cast("int32", T.Cast("bool", T.bfloat16("nan")))
    a2 = T.decl_buffer((4,), "e4m3_float8")
    a2[0] = T.Cast("e4m3_float8", d)
    a2[1] = T.Cast("e4m3_float8", 0)
    a2[2] = T.Cast("e4m3_float8", T.float64(-0.0))
    a2[3] = T.Cast("e4m3_float8", T.float64(-0.25))
    for i in range(4):
        y[18 + i] = T.Cast("int32", T.Cast("bool", a2[i]))
    y[T.Ramp(22, 1, 4)] = T.Cast("int32x4", T.Cast("boolx4", a2[T.Ramp(0, 1, 4)]))
    # FOLDED: y[26] = 1{{$}}
    y[26] = T.Cast("int32", T.Cast("bool", T.e4m3_float8("nan")))
    a3 = T.decl_buffer((4,), "e5m2_float8")
    a3[0] = T.Cast("e5m2_float8", d)
    a3[1] = T.Cast("e5m2_float8", 0)
    a3[2] = T.Cast("e5m2_float8", T.float64(-0.0))
    a3[3] = T.Cast("e5m2_float8", T.float64(-0.25))
    for i in range(4):
        y[27 + i] = T.Cast("int32", T.Cast("bool", a3[i]))
    y[T.Ramp(31, 1, 4)] = T.Cast("int32x4", T.Cast("boolx4", a3[T.Ramp(0, 1, 4)]))
    # FOLDED: y[35] = 1{{$}}
    y[35] = T.Cast("int32", T.Cast("bool", T.e5m2_float8("nan")))
    a4 = T.decl_buffer((4,), "float32")
    a4[0] = T.Cast("float32", d)
    a4[1] = T.Cast("float32", 0)
    a4[2] = T.Cast("float32", T.float64(-0.0))
    a4[3] = T.Cast("float32", T.float64(-0.25))
    for i in range(4):
        y[36 + i] = T.Cast("int32", T.Cast("bool", a4[i]))
    y[T.Ramp(40, 1, 4)] = T.Cast("int32x4", T.Cast("boolx4", a4[T.Ramp(0, 1, 4)]))
    # FOLDED: y[44] = 1{{$}}
    y[44] = T.Cast("int32", T.Cast("bool", T.float32("nan")))
    a5 = T.decl_buffer((4,), "float64")
    a5[0] = T.Cast("float64", d)
    a5[1] = T.Cast("float64", 0)
    a5[2] = T.Cast("float64", T.float64(-0.0))
    a5[3] = T.Cast("float64", T.float64(-0.25))
    for i in range(4):
        y[45 + i] = T.Cast("int32", T.Cast("bool", a5[i]))
    y[T.Ramp(49, 1, 4)] = T.Cast("int32x4", T.Cast("boolx4", a5[T.Ramp(0, 1, 4)]))
    # FOLDED: y[53] = 1{{$}}
    y[53] = T.Cast("int32", T.Cast("bool", T.float64("nan")))
