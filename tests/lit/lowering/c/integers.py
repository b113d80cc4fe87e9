# Integers wrap at their width without undefined behavior: sums use unsigned numbers, or signed
# numbers if the sum is proven to fit.
# RUN: rm -rf %t && tenon compile %plain %s --emit=c -o %t
# RUN: FileCheck %s --input-file=%t/tvmgen_default.c
from tvm.script import tir as T

@T.prim_func
def main(a: T.Buffer((8,), "int32"), b: T.Buffer((8,), "int8"), c: T.Buffer((8,), "uint16"), d: T.Buffer((8,), "int64"), e: T.Buffer((8,), "uint32"), y: T.Buffer((8,), "int32"), z: T.Buffer((8,), "int8"), u: T.Buffer((8,), "uint16"), w: T.Buffer((8,), "int64"), v: T.Buffer((8,), "uint32")):
    for i in range(8):
        # CHECK: y[i] = (int32_t)((uint32_t)a[i] + ((uint32_t)a[7 - i] * 3U));
        y[i] = a[i] + a[7 - i] * T.int32(3)
        # Narrower than int: promoted, then truncated. Products of uint16 do not fit an int.
        # CHECK: z[i] = (int8_t)(b[i] + b[7 - i]);
        z[i] = b[i] + b[7 - i]
        # CHECK: u[i] = (uint16_t)((uint32_t)c[i] * c[i]);
        u[i] = c[i] * c[i]
        # CHECK: w[i] = (int64_t)((uint64_t)d[i] - UINT64_C(9223372036854775807));
        w[i] = d[i] - T.int64(9223372036854775807)
        # CHECK: v[i] = e[i] * 4294967295U;
        v[i] = e[i] * T.uint32(4294967295)
        # Proven to fit.
        # CHECK: y[i] = (int32_t)b[i] * (int32_t)b[7 - i] + 5;
        y[i] = T.Cast("int32", b[i]) * T.Cast("int32", b[7 - i]) + 5
        # CHECK: y[7 - i] = tenon_min_i32(tenon_max_i32(a[i], (-128)), 127);
        y[7 - i] = T.min(T.max(a[i], -128), 127)
        # CHECK: z[i] = (int8_t)tenon_max_i32(tenon_min_i32((int32_t)((uint32_t)a[i] + (7U * (uint32_t)a[7 - i])), 127), (-128));
        z[i] = T.Cast("int8", T.max(T.min(a[i] + T.int32(7) * a[7 - i], 127), -128))
        # CHECK: z[i] = (int8_t)tenon_min_i32(b[i], 3);
        z[i] = T.min(b[i], T.int8(3))
        # CHECK: v[i] = tenon_max_u32(e[i], e[0]);
        v[i] = T.max(e[i], e[0])
        # CHECK: w[i] = tenon_min_i64(d[i], d[0]);
        w[i] = T.min(d[i], d[0])
        # CHECK: y[i] = INT32_MIN;
        y[i] = T.int32(-2147483648)
        # CHECK: w[i] = INT64_MIN;
        w[i] = T.int64(-9223372036854775808)
