# Division: C's operators if they have the same meaning, else functions that round toward minus
# infinity, and wrap if the quotient may not fit.
# RUN: rm -rf %t && tenon compile %plain %s --emit=c -o %t
# RUN: FileCheck %s --input-file=%t/tvmgen_default.c
from tvm.script import tir as T

@T.prim_func
def main(a: T.Buffer((8,), "int32"), b: T.Buffer((8,), "int8"), c: T.Buffer((8,), "uint16"), d: T.Buffer((8,), "int64"), e: T.Buffer((8,), "uint32"), y: T.Buffer((8,), "int32"), z: T.Buffer((8,), "int8"), u: T.Buffer((8,), "uint16"), w: T.Buffer((8,), "int64"), v: T.Buffer((8,), "uint32")):
    for i in range(8):
        # CHECK: y[i] = tenon_floordiv_i32(a[i], 3);
        y[i] = a[i] // 3
        # CHECK: y[i] = tenon_floormod_i32(a[i], a[7 - i]);
        y[i] = a[i] % a[7 - i]
        # CHECK: y[i] = (int32_t)((uint32_t)(a[i] / 3) + (uint32_t)tenon_mod_i32(a[i], a[0]));
        y[i] = T.truncdiv(a[i], 3) + T.truncmod(a[i], a[0])
        # CHECK: z[i] = (int8_t)tenon_floordiv_i32(b[i], b[0]);
        z[i] = b[i] // b[0]
        # CHECK: z[i] = (int8_t)tenon_div_i32(b[i], b[0]);
        z[i] = T.truncdiv(b[i], b[0])
        # CHECK: y[i / 2] = i % 4;
        y[i // 2] = i % 4
        # CHECK: w[i] = tenon_floordiv_i64(d[i], d[0]);
        w[i] = d[i] // d[0]
        # CHECK: w[i] = tenon_floormod_i64(d[i], (-INT64_C(5)));
        w[i] = T.floormod(d[i], T.int64(-5))
        # CHECK: w[i] = tenon_mod_i64(d[i], d[0]);
        w[i] = T.truncmod(d[i], d[0])
        # CHECK: u[i] = (uint16_t)(c[i] / c[0]);
        u[i] = c[i] // c[0]
        # CHECK: v[i] = e[i] % 7U;
        v[i] = e[i] % T.uint32(7)
