# Shifts and bits: left shifts of unsigned numbers; arithmetic right shifts with every
# compiler.
# RUN: rm -rf %t && tenon compile %s --emit=c -o %t
# RUN: FileCheck %s --input-file=%t/tvmgen_default.c
from tvm.script import tir as T

@T.prim_func
def main(a: T.Buffer((8,), "int32"), b: T.Buffer((8,), "int8"), c: T.Buffer((8,), "uint16"), d: T.Buffer((8,), "int64"), e: T.Buffer((8,), "uint32"), y: T.Buffer((8,), "int32"), z: T.Buffer((8,), "int8"), u: T.Buffer((8,), "uint16"), w: T.Buffer((8,), "int64"), v: T.Buffer((8,), "uint32"), f: T.Buffer((8,), "float32")):
    for i in range(8):
        # CHECK: y[i] = (int32_t)((uint32_t)a[i] << 3);
        y[i] = T.shift_left(a[i], 3)
        # CHECK: y[i] = tenon_shr_i32(a[i], a[0]);
        y[i] = T.shift_right(a[i], a[0])
        # CHECK: z[i] = (int8_t)((uint32_t)b[i] << 3);
        z[i] = T.shift_left(b[i], T.int8(3))
        # CHECK: z[i] = (int8_t)tenon_shr_i32(b[i], 3);
        z[i] = T.shift_right(b[i], T.int8(3))
        # CHECK: u[i] = (uint16_t)(c[i] >> 3U);
        u[i] = T.shift_right(c[i], T.uint16(3))
        # CHECK: u[i] = (uint16_t)(c[i] << 3U);
        u[i] = T.shift_left(c[i], T.uint16(3))
        # CHECK: w[i] = tenon_shr_i64(d[i], INT64_C(63));
        w[i] = T.shift_right(d[i], T.int64(63))
        # CHECK: v[i] = e[i] << 31U;
        v[i] = T.shift_left(e[i], T.uint32(31))
        # CHECK: v[i] = ((e[i] & 255U) | (uint32_t)~e[0]);
        v[i] = T.bitwise_or(T.bitwise_and(e[i], T.uint32(255)), T.bitwise_not(e[0]))
        # CHECK: z[i] = (int8_t)(b[i] ^ (-1));
        z[i] = T.bitwise_xor(b[i], T.int8(-1))
        # CHECK: y[i] = (int32_t)tenon_popcount((uint64_t)(uint32_t)a[i]) + (int32_t)tenon_clz((uint64_t)(uint32_t)a[i], 32);
        y[i] = T.popcount(a[i]) + T.clz(a[i])
        # CHECK: y[i] = (int32_t)tenon_popcount((uint64_t)(uint32_t)(int32_t)b[i]);
        y[i] = T.popcount(T.Cast("int32", b[i]))
        # CHECK: f[i] = tenon_bits_to_f32((uint32_t)a[i]);
        f[i] = T.reinterpret("float32", a[i])
        # CHECK: y[i] = (int32_t)tenon_f32_to_bits(f[i]);
        y[i] = T.reinterpret("int32", f[i])
