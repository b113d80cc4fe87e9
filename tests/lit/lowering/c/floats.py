# Floating-point literals read back exactly and have their type; division and remainder of floats.
# RUN: rm -rf %t && tenon compile %s --emit=c -o %t
# RUN: FileCheck %s --input-file=%t/tvmgen_default.c
from tvm.script import tir as T

@T.prim_func
def main(f: T.Buffer((16,), "float32"), d: T.Buffer((16,), "float64"), g: T.Buffer((8,), "float32"), x: T.Buffer((8,), "float64"), n: T.Buffer((1,), "int32")):
    # CHECK: f[0] = 0.1f;
    f[0] = T.float32(0.1)
    # CHECK: f[1] = 1.0f;
    f[1] = T.float32(1)
    # CHECK: f[2] = (-1e+30f);
    f[2] = T.float32(-1e30)
    # CHECK: f[3] = INFINITY;
    f[3] = T.float32("inf")
    # CHECK: f[4] = (-INFINITY);
    f[4] = T.float32("-inf")
    # CHECK: f[5] = NAN;
    f[5] = T.float32("nan")
    # CHECK: f[6] = (-0.0f);
    f[6] = T.float32(-0.0)
    # CHECK: f[7] = 1e-45f;
    f[7] = T.float32(1e-45)
    # CHECK: f[8] = 3.4028235e+38f;
    f[8] = T.float32(3.4028234663852886e+38)
    # CHECK: d[0] = 0.1;
    d[0] = T.float64(0.1)
    # CHECK: d[1] = (double)NAN;
    d[1] = T.float64("nan")
    # CHECK: d[2] = (-(double)INFINITY);
    d[2] = T.float64("-inf")
    # CHECK: d[3] = 5e-324;
    d[3] = T.float64(5e-324)
    # CHECK: d[4] = 1.0;
    d[4] = T.float64(1)
    # CHECK: f[9] = g[0] - (-2.5f);
    f[9] = g[0] - T.float32(-2.5)
    # CHECK: d[5] = x[0] * (double)INFINITY;
    d[5] = x[0] * T.float64("inf")
    # CHECK: f[10] = g[0] / g[1];
    f[10] = g[0] / g[1]
    # CHECK: f[11] = fmodf(g[0], g[1]);
    f[11] = T.truncmod(g[0], g[1])
    # CHECK: f[12] = floorf(g[0] / g[1]);
    f[12] = T.floordiv(g[0], g[1])
    # CHECK: f[13] = tenon_floormod_f32(g[0], g[1] + g[2]);
    f[13] = T.floormod(g[0], g[1] + g[2])
    # CHECK: d[6] = tenon_min_f64(x[0], x[1]);
    d[6] = T.min(x[0], x[1])
    # CHECK: f[14] = tenon_sub_f32(0.0f, (float)n[0]);
    f[14] = T.float32(0) - T.Cast("float32", n[0])
    # CHECK: d[7] = tenon_sub_f64(0.0, x[0]);
    d[7] = T.float64(0) - x[0]
