# Operators of GNU C's vector types have the interpreter's results: comparisons, masks, bits, shifts, ramps,
# conversions. So have loops over lanes, and LLVM's vectors (../llvm/vectors_operators.test).
# RUN: rm -rf %t && tenon compile %plain %s --emit=c --c-vectors=gnu -o %t
# RUN: FileCheck %s --input-file=%t/tvmgen_default.c
# RUN: %python %S/../../tools/Inputs/npy.py %t/x.npy f4 8 1 -2 3.5 0 5 -6 0.25 8
# RUN: %python %S/../../tools/Inputs/npy.py %t/z.npy f4 8 1 2 -3 0 4 -6 0.5 -8
# RUN: %python %S/../../tools/Inputs/npy.py %t/q.npy i4 8 7 -7 2147483647 -2147483648 0 1 12 -100
# RUN: %python %S/../../tools/Inputs/npy.py %t/r.npy i4 8 3 7 1 1 0 -1 10 -100
# RUN: tenon run %s --input %t/x.npy --input %t/z.npy --input %t/q.npy --input %t/r.npy --output y=%t/y.npy --output o=%t/o.npy
# RUN: %python %S/../../tools/Inputs/npy.py %t/y.npy | FileCheck %s --check-prefix=FLOATS
# RUN: %python %S/../../tools/Inputs/npy.py %t/o.npy | FileCheck %s --check-prefix=INTS
# RUN: tenon run %plain %s --engine=c --cc=%cc --c-vectors=gnu --input %t/x.npy --input %t/z.npy --input %t/q.npy --input %t/r.npy --expect y=%t/y.npy --expect o=%t/o.npy
# RUN: tenon run %plain %s --engine=c --cc=%cc --input %t/x.npy --input %t/z.npy --input %t/q.npy --input %t/r.npy --expect y=%t/y.npy --expect o=%t/o.npy

# FLOATS: <f4 (32,) 0.0 -4.0 6.5 0.0 1.0 0.0 -0.25 16.0
# FLOATS-SAME: {{ }}0.25 -0.5 0.875 0.0 1.25 -1.5 0.0625 2.0
# FLOATS-SAME: {{ }}0.0 1.0 1.0 0.0 1.0 0.0 1.0 1.0
# FLOATS-SAME: {{ }}1.0 2.0 3.5 0.0 5.0 6.0 0.25 8.0
# INTS: <i4 (136,) 4 -14 2147483646 2147483647 0 2 2 0
# INTS-SAME: {{ }}0 0 0 0 1 0 0 1
# INTS-SAME: {{ }}3 -7 1 -2147483648 0 -1 10 -100
# INTS-SAME: {{ }}7 -1 2147483647 -1 -1 1 12 -1
# INTS-SAME: {{ }}1 0 1 0 0 1 1 0
# INTS-SAME: {{ }}0 1 0 1 0 0 1 0
# INTS-SAME: {{ }}1 0 1 0 1 1 1 1
# INTS-SAME: {{ }}3 10 17 24 31 38 45 52
# INTS-SAME: {{ }}112 -112 -16 0 0 16 192 -1600
# INTS-SAME: {{ }}-4 -2 -2 -1 -1 -2 -9 99
# INTS-SAME: {{ }}0 1 0 0 0 0 0 0
# INTS-SAME: {{ }}1 1 1 0 1 1 0 1
# INTS-SAME: {{ }}0 1 0 1 0 0 0 0
# INTS-SAME: {{ }}1 1 1 1 0 1 1 1
# INTS-SAME: {{ }}0 -1 8388607 -8388608 0 -1 0 39
# INTS-SAME: {{ }}3 7 1 1 0 -1 10 -100
# INTS-SAME: {{ }}21 -49 -1 0 0 255 120 -15600
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((8,), "float32"), z: T.Buffer((8,), "float32"), q: T.Buffer((8,), "int32"), r: T.Buffer((8,), "int32"), y: T.Buffer((32,), "float32"), o: T.Buffer((136,), "int32")):
    T.func_attr({"tir.noalias": T.bool(True)})
    # CHECK: *(tenon_f32x8_u*)&y[0] = *(const tenon_f32x8_u*)&x[0] - *(const tenon_f32x8_u*)&z[0];
    y[0:8] = x[0:8] - z[0:8]
    # CHECK: *(tenon_f32x8_u*)&y[8] = *(const tenon_f32x8_u*)&x[0] / t1;
    y[8:16] = x[0:8] / T.Broadcast(T.float32(4), 8)
    # CHECK: *(tenon_f32x8_u*)&y[16] = __builtin_convertvector(-((tenon_i32x8)(*(const tenon_f32x8_u*)&x[0] != *(const tenon_f32x8_u*)&z[0])), tenon_f32x8);
    y[16:24] = T.Cast("float32x8", x[0:8] != z[0:8])
    # CHECK: *(tenon_f32x8_u*)&y[24] = (tenon_f32x8)((tenon_i32x8)*(const tenon_f32x8_u*)&x[0] & t1);
    y[24:32] = T.reinterpret("float32x8", T.bitwise_and(T.reinterpret("int32x8", x[0:8]), T.Broadcast(2147483647, 8)))
    o[0:8] = q[0:8] - r[0:8]
    # CHECK: *(tenon_i32x8_u*)&o[8] = -((tenon_i32x8)(*(const tenon_i32x8_u*)&q[0] == *(const tenon_i32x8_u*)&r[0]));
    o[8:16] = T.Cast("int32x8", q[0:8] == r[0:8])
    o[16:24] = T.Select(q[0:8] <= r[0:8], q[0:8], r[0:8])
    o[24:32] = T.Select(q[0:8] > r[0:8], q[0:8], T.Broadcast(-1, 8))
    o[32:40] = T.Select(T.And(q[0:8] >= r[0:8], q[0:8] > T.Broadcast(0, 8)), T.Broadcast(1, 8), T.Broadcast(0, 8))
    o[40:48] = T.Select(T.Or(q[0:8] < r[0:8], x[0:8] < z[0:8]), T.Broadcast(1, 8), T.Broadcast(0, 8))
    # CHECK: const tenon_i32x8 t3 = ~((tenon_i32x8)(*(const tenon_i32x8_u*)&q[0] < *(const tenon_i32x8_u*)&r[0]));
    o[48:56] = T.Select(T.Not(q[0:8] < r[0:8]), T.Broadcast(1, 8), T.Broadcast(0, 8))
    # CHECK: *(tenon_i32x8_u*)&o[56] = (tenon_i32x8)((tenon_u32x8)t3 + ((tenon_u32x8)t1 * (tenon_u32x8)t2));
    o[56:64] = T.Ramp(r[0], r[1], 8)
    # CHECK: *(tenon_i32x8_u*)&o[64] = (tenon_i32x8)((tenon_u32x8)*(const tenon_i32x8_u*)&q[0] << (tenon_u32x8)t1);
    o[64:72] = T.shift_left(q[0:8], T.Broadcast(4, 8))
    # CHECK: *(tenon_i32x8_u*)&o[72] = (~(*(const tenon_i32x8_u*)&q[0]) | (*(const tenon_i32x8_u*)&q[0] ^ *(const tenon_i32x8_u*)&r[0]));
    o[72:80] = T.bitwise_or(T.bitwise_not(q[0:8]), T.bitwise_xor(q[0:8], r[0:8]))
    o[80:88] = T.Select(T.bitwise_and(q[0:8] < r[0:8], x[0:8] < z[0:8]), T.Broadcast(1, 8), T.Broadcast(0, 8))
    o[88:96] = T.Select(T.bitwise_not(T.bitwise_xor(q[0:8] < r[0:8], x[0:8] < z[0:8])), T.Broadcast(1, 8), T.Broadcast(0, 8))
    o[96:104] = T.Cast("int32x8", T.Cast("uint8x8", q[0:8] < r[0:8]))
    o[104:112] = T.Cast("int32x8", T.Cast("boolx8", T.Cast("int16x8", r[0:8])))
    o[112:120] = T.Cast("int32x8", T.shift_right(T.Cast("int64x8", q[0:8]) * T.Cast("int64x8", r[0:8]), T.Broadcast(T.int64(8), 8)))
    if r[0] > 2:
        o[120:128] = T.if_then_else(r[1] > 6, T.if_then_else(r[2] > 6, q[0:8], r[0:8]), T.Broadcast(0, 8))
    o[128:136] = T.Cast("int32x8", T.Cast("int16x8", q[0:8]) * T.Cast("int16x8", T.Cast("uint8x8", r[0:8])))
