# --c-vectors=gnu keeps vectors for which GNU C has types and operators; the rest are loops.
# RUN: rm -rf %t && tenon compile %plain %s --emit=c --c-vectors=gnu -o %t
# RUN: FileCheck %s --input-file=%t/tvmgen_default.c

# CHECK: /* Vectors of GNU C; those in _u are in memory, where any element may begin one. */
# CHECK-NEXT: typedef float tenon_f32x4 __attribute__((vector_size(16)));
# CHECK-NEXT: typedef float tenon_f32x4_u __attribute__((vector_size(16), aligned(4), may_alias));
# CHECK-NEXT: typedef int16_t tenon_i16x4 __attribute__((vector_size(8)));
# CHECK-NEXT: typedef int16_t tenon_i16x8 __attribute__((vector_size(16)));
# CHECK-NEXT: typedef int32_t tenon_i32x4 __attribute__((vector_size(16)));
# CHECK-NEXT: typedef int32_t tenon_i32x4_u __attribute__((vector_size(16), aligned(4), may_alias));
# CHECK-NEXT: typedef int32_t tenon_i32x8 __attribute__((vector_size(32)));
# CHECK-NEXT: typedef int32_t tenon_i32x8_u __attribute__((vector_size(32), aligned(4), may_alias));
# CHECK-NEXT: typedef int8_t tenon_i8x4_u __attribute__((vector_size(4), aligned(1), may_alias));
# CHECK-NEXT: typedef int8_t tenon_i8x8_u __attribute__((vector_size(8), aligned(1), may_alias));
# CHECK-NEXT: typedef uint32_t tenon_u32x8 __attribute__((vector_size(32)));
# CHECK: static int32_t tvmgen_default_main(
# CHECK-NEXT:     const tenon_float32* TENON_RESTRICT x,
# CHECK-NEXT:     const tenon_int32* TENON_RESTRICT q,
# CHECK-NEXT:     const tenon_int8* TENON_RESTRICT b,
# CHECK-NEXT:     tenon_float32* TENON_RESTRICT y,
# CHECK-NEXT:     tenon_int32* TENON_RESTRICT o,
# CHECK-NEXT:     tenon_float64* TENON_RESTRICT w) {
# CHECK-NEXT:   {
# CHECK-NEXT:     const float v = x[8];
# CHECK-NEXT:     const tenon_f32x4 t1 = {TENON_SPLAT_4(v)};
# CHECK-NEXT:     *(tenon_f32x4_u*)&y[0] = *(const tenon_f32x4_u*)&x[0] * t1 + *(const tenon_f32x4_u*)&x[4];
# CHECK-NEXT:   }
# CHECK-NEXT:   {
# CHECK-NEXT:     const int32_t v = q[3];
# CHECK-NEXT:     const tenon_i32x8 t1 = {TENON_SPLAT_8(v)};
# CHECK-NEXT:     const tenon_i32x8 t2 = (tenon_i32x8)((tenon_u32x8)*(const tenon_i32x8_u*)&o[0] + ((tenon_u32x8)t1 * (tenon_u32x8)__builtin_convertvector(__builtin_convertvector(*(const tenon_i8x8_u*)&b[0], tenon_i16x8), tenon_i32x8)));
# CHECK-NEXT:     const tenon_i32x8 t3 = (tenon_i32x8)((tenon_u32x8)*(const tenon_i32x8_u*)&o[8] + ((tenon_u32x8)t1 * (tenon_u32x8)__builtin_convertvector(__builtin_convertvector(*(const tenon_i8x8_u*)&b[8], tenon_i16x8), tenon_i32x8)));
# CHECK-NEXT:     *(tenon_i32x8_u*)&o[0] = t2;
# CHECK-NEXT:     *(tenon_i32x8_u*)&o[8] = t3;
# CHECK-NEXT:   }
# CHECK-NEXT:   {
# CHECK-NEXT:     const tenon_i32x4 t1 = *(const tenon_i32x4_u*)&q[0];
# CHECK-NEXT:     const tenon_i32x4 t2 = {TENON_SPLAT_4(0)};
# CHECK-NEXT:     *(tenon_i32x4_u*)&o[0] = (tenon_i32x4)TENON_MAX_I32_4(t1, t2);
# CHECK-NEXT:   }
# CHECK-NEXT:   {
# CHECK-NEXT:     const tenon_i32x4 t1 = (tenon_i32x4)(*(const tenon_f32x4_u*)&x[0] < *(const tenon_f32x4_u*)&x[4]);
# CHECK-NEXT:     *(tenon_f32x4_u*)&y[4] = (tenon_f32x4)((t1 & (tenon_i32x4)*(const tenon_f32x4_u*)&x[4]) | (~t1 & (tenon_i32x4)__builtin_convertvector(__builtin_convertvector(__builtin_convertvector(*(const tenon_i8x4_u*)&b[1], tenon_i16x4), tenon_i32x4), tenon_f32x4)));
# CHECK-NEXT:   }
# CHECK-NEXT:   if (q[1] < 3) {
# CHECK-NEXT:     const int32_t at = q[0];
# CHECK-NEXT:     *(tenon_f32x4_u*)&y[at] = *(const tenon_f32x4_u*)&x[4];
# CHECK-NEXT:   } else {
# CHECK-NEXT:     const int32_t at = q[0];
# CHECK-NEXT:     const tenon_f32x4 t1 = {TENON_SPLAT_4(0.0f)};
# CHECK-NEXT:     *(tenon_f32x4_u*)&y[at] = t1;
# CHECK-NEXT:   }
# CHECK-NEXT:   {
# CHECK-NEXT:     const tenon_i32x4 t1 = {TENON_SPLAT_4(2)};
# CHECK-NEXT:     *(tenon_i32x4_u*)&o[4] = (*(const tenon_i32x4_u*)&q[0] >> t1);
# CHECK-NEXT:   }
# CHECK-NEXT:   for (int32_t lane = 0; lane < 4; ++lane) {
# CHECK-NEXT:     o[lane] = tenon_f32_to_i32(x[lane]);
# CHECK-NEXT:   }
# CHECK-NEXT:   for (int32_t lane = 0; lane < 3; ++lane) {
# CHECK-NEXT:     o[lane] = (int32_t)((uint32_t)q[lane] + (uint32_t)q[1 + lane]);
# CHECK-NEXT:   }
# GCC 12 cannot compile minima of float64 from float32 without AVX.
# CHECK-NEXT:   const double v = w[4];
# CHECK-NEXT:   for (int32_t lane = 0; lane < 4; ++lane) {
# CHECK-NEXT:     w[lane] = tenon_min_f64((double)x[lane], v);
# CHECK-NEXT:   }
# CHECK-NEXT:   return 0;
# CHECK-NEXT: }
from tvm.script import ir as I
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((16,), "float32"), q: T.Buffer((16,), "int32"), b: T.Buffer((16,), "int8"), y: T.Buffer((16,), "float32"), o: T.Buffer((16,), "int32"), w: T.Buffer((16,), "float64")):
    T.func_attr({"tir.noalias": T.bool(True)})
    y[0:4] = x[0:4] * T.Broadcast(x[8], 4) + x[4:8]
    o[0:16] = o[0:16] + T.Broadcast(q[3], 16) * T.Cast("int32x16", b[0:16])
    o[0:4] = T.max(q[0:4], T.Broadcast(0, 4))
    y[4:8] = T.Select(x[0:4] < x[4:8], x[4:8], T.Cast("float32x4", b[1:5]))
    y[q[0]:q[0] + 4] = T.if_then_else(q[1] < 3, x[4:8], T.Broadcast(T.float32(0), 4))
    o[4:8] = T.shift_right(q[0:4], T.Broadcast(2, 4))
    o[0:4] = T.Cast("int32x4", x[0:4])
    o[0:3] = q[0:3] + q[1:4]
    w[0:4] = T.min(T.Cast("float64x4", x[0:4]), T.Broadcast(w[4], 4))
