# Casts: floats to integers saturate and NaN gives 0 (by functions of the runtime), bool is a
# comparison with 0, float16 and bfloat16 are their bits, rounded once from every type.
# RUN: rm -rf %t && tenon compile %s --emit=c -o %t
# RUN: FileCheck %s --input-file=%t/tvmgen_default.c
from tvm.script import tir as T

@T.prim_func
def main(f: T.Buffer((8,), "float32"), d: T.Buffer((8,), "float64"), h: T.Buffer((8,), "float16"), b: T.Buffer((8,), "bfloat16"), p: T.Buffer((8,), "bool"), i8: T.Buffer((8,), "int8"), i32: T.Buffer((8,), "int32"), u32: T.Buffer((8,), "uint32"), i64: T.Buffer((8,), "int64"), u64: T.Buffer((8,), "uint64"), oh: T.Buffer((8,), "float16"), ob: T.Buffer((8,), "bfloat16"), of: T.Buffer((8,), "float32"), od: T.Buffer((8,), "float64")):
    for i in range(8):
        # CHECK: i8[i] = tenon_f32_to_i8(f[i]);
        i8[i] = T.Cast("int8", f[i])
        # CHECK: u32[i] = tenon_f64_to_u32(d[i]);
        u32[i] = T.Cast("uint32", d[i])
        # CHECK: i64[i] = tenon_f32_to_i64(f[i]);
        i64[i] = T.Cast("int64", f[i])
        # CHECK: u64[i] = tenon_f32_to_u64(tenon_f16_to_f32(h[i]));
        u64[i] = T.Cast("uint64", h[i])
        # CHECK: p[i] = (int8_t)(f[i] != 0);
        p[i] = T.Cast("bool", f[i])
        # CHECK: p[i] = (int8_t)(i8[i] != 0);
        p[i] = T.Cast("bool", i8[i])
        # CHECK: p[i] = (int8_t)(tenon_f16_to_f32(h[i]) != 0);
        p[i] = T.Cast("bool", h[i])
        # CHECK: i8[i] = (int8_t)(p[i] != 0);
        i8[i] = T.Cast("int8", p[i])
        # CHECK: of[i] = (float)(p[i] != 0);
        of[i] = T.Cast("float32", p[i])
        # CHECK: i8[i] = (int8_t)u32[i];
        i8[i] = T.Cast("int8", u32[i])
        # CHECK: i64[i] = (int64_t)u32[i];
        i64[i] = T.Cast("int64", u32[i])
        # CHECK: of[i] = (float)d[i];
        of[i] = T.Cast("float32", d[i])
        # CHECK: of[i] = (float)i64[i];
        of[i] = T.Cast("float32", i64[i])
        # CHECK: of[i] = tenon_f16_to_f32(h[i]) + tenon_bf16_to_f32(b[i]);
        of[i] = T.Cast("float32", h[i]) + T.Cast("float32", b[i])
        # CHECK: od[i] = (double)tenon_f16_to_f32(h[i]);
        od[i] = T.Cast("float64", h[i])
        # CHECK: oh[i] = tenon_f32_to_f16(f[i]);
        oh[i] = T.Cast("float16", f[i])
        # CHECK: oh[i] = tenon_f32_to_f16(tenon_f64_to_odd_f32(d[i]));
        oh[i] = T.Cast("float16", d[i])
        # CHECK: ob[i] = tenon_f32_to_bf16(tenon_f64_to_odd_f32(d[i]));
        ob[i] = T.Cast("bfloat16", d[i])
        # CHECK: ob[i] = tenon_f32_to_bf16((float)i8[i]);
        ob[i] = T.Cast("bfloat16", i8[i])
        # CHECK: ob[i] = tenon_f32_to_bf16(tenon_i64_to_odd_f32(i32[i]));
        ob[i] = T.Cast("bfloat16", i32[i])
        # CHECK: ob[i] = tenon_f32_to_bf16(tenon_u64_to_odd_f32(u32[i]));
        ob[i] = T.Cast("bfloat16", u32[i])
        # CHECK: ob[i] = tenon_f32_to_bf16(tenon_i64_to_odd_f32(i64[i]));
        ob[i] = T.Cast("bfloat16", i64[i])
        # CHECK: oh[i] = tenon_f32_to_f16(tenon_u64_to_odd_f32(u64[i]));
        oh[i] = T.Cast("float16", u64[i])
        # CHECK: oh[i] = tenon_f32_to_f16(tenon_bf16_to_f32(b[i]));
        oh[i] = T.Cast("float16", b[i])
        # Arithmetic in float, rounded after every operation.
        # CHECK: oh[i] = tenon_f32_to_f16(tenon_f16_to_f32(tenon_f32_to_f16(tenon_f16_to_f32(h[i]) * tenon_f16_to_f32(h[i]))) + 0.5f);
        oh[i] = h[i] * h[i] + T.float16(0.5)
        # CHECK: ob[i] = tenon_f32_to_bf16(tenon_max_f32(tenon_bf16_to_f32(b[i]), 0.0f));
        ob[i] = T.max(b[i], T.bfloat16(0))
        # CHECK: oh[i] = tenon_f32_to_f16(expf(tenon_f16_to_f32(h[i])));
        oh[i] = T.exp(h[i])
