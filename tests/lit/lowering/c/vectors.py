# Vector values are loops over their lanes, through an array if stored elements may be read again.
# RUN: rm -rf %t && tenon compile %plain %s --emit=c -o %t
# RUN: FileCheck %s --input-file=%t/tvmgen_default.c

# CHECK: static int32_t tvmgen_default_main(
# CHECK-NEXT:     const tenon_float32* x,
# CHECK-NEXT:     const tenon_int32* q,
# CHECK-NEXT:     tenon_float32* y,
# CHECK-NEXT:     tenon_int32* o) {
# CHECK-NEXT:   for (int32_t i = 0; i < 8; ++i) {
# CHECK-NEXT:     y[i] = x[i] + 1.0f;
# CHECK-NEXT:   }
# CHECK-NEXT:   {
# CHECK-NEXT:     tenon_float32 values[4] TENON_ALIGNED(16);
# CHECK-NEXT:     for (int32_t lane = 0; lane < 4; ++lane) {
# CHECK-NEXT:       values[lane] = x[lane] * 2.0f + x[4 + lane];
# CHECK-NEXT:     }
# CHECK-NEXT:     for (int32_t lane = 0; lane < 4; ++lane) {
# CHECK-NEXT:       y[lane] = values[lane];
# CHECK-NEXT:     }
# CHECK-NEXT:   }
# CHECK-NEXT:   {
# CHECK-NEXT:     tenon_int32 values[4] TENON_ALIGNED(16);
# CHECK-NEXT:     for (int32_t lane = 0; lane < 4; ++lane) {
# CHECK-NEXT:       values[lane] = tenon_max_i32(q[lane * 2], 0);
# CHECK-NEXT:     }
# CHECK-NEXT:     for (int32_t lane = 0; lane < 4; ++lane) {
# CHECK-NEXT:       o[lane * 2] = values[lane];
# CHECK-NEXT:     }
# CHECK-NEXT:   }
# CHECK-NEXT:   {
# CHECK-NEXT:     tenon_int32 values[4] TENON_ALIGNED(16);
# CHECK-NEXT:     for (int32_t lane = 0; lane < 4; ++lane) {
# CHECK-NEXT:       values[lane] = tenon_f32_to_i32(x[lane]);
# CHECK-NEXT:     }
# CHECK-NEXT:     for (int32_t lane = 0; lane < 4; ++lane) {
# CHECK-NEXT:       o[lane] = values[lane];
# CHECK-NEXT:     }
# CHECK-NEXT:   }
# CHECK-NEXT:   tenon_float32 values[2] TENON_ALIGNED(16);
# CHECK-NEXT:   values[0] = x[1];
# CHECK-NEXT:   values[1] = x[3];
# CHECK-NEXT:   y[0] = values[0];
# CHECK-NEXT:   y[1] = values[1];
# CHECK-NEXT:   return 0;
# CHECK-NEXT: }
from tvm.script import ir as I
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((16,), "float32"), q: T.Buffer((16,), "int32"), y: T.Buffer((16,), "float32"), o: T.Buffer((16,), "int32")):
    for i in T.vectorized(8):
        y[i] = x[i] + T.float32(1)
    y[0:4] = x[0:4] * T.Broadcast(T.float32(2), 4) + x[4:8]
    o[T.Ramp(0, 2, 4)] = T.max(q[T.Ramp(0, 2, 4)], T.Broadcast(0, 4))
    o[0:4] = T.Cast("int32x4", x[0:4])
    y[0:2] = T.Shuffle([x[0:4]], [1, 3])
