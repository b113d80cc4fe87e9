# Mathematics: LLVM's intrinsics, or the C library's functions; quantized products in 64 bits.
# REQUIRES: llvm
# RUN: tenon compile %s --emit=llvm-ir -O0 --target=x86_64-linux-gnu -o - | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((8,), "float32"), d: T.Buffer((8,), "float64"), q: T.Buffer((8,), "int32"), y: T.Buffer((8,), "float32"), z: T.Buffer((8,), "float64"), p: T.Buffer((8,), "bool"), o: T.Buffer((8,), "int32")):
    for i in range(8):
        # CHECK: call float @llvm.exp.f32(
        y[i] = T.exp(x[i])
        # CHECK: call double @tanh(double %{{[0-9]+}})
        z[i] = T.tanh(d[i])
        # CHECK: %[[S:[0-9]+]] = call float @llvm.sqrt.f32(
        # CHECK-NEXT: fdiv float 1.000000e+00, %[[S]]
        y[i] = T.rsqrt(x[i])
        # CHECK: fneg float
        # CHECK: fdiv float 1.000000e+00
        y[i] = T.sigmoid(x[i])
        # CHECK: call float @ldexpf(float %{{[0-9]+}}, i32 %{{[0-9]+}})
        y[i] = T.ldexp(x[i], q[i])
        # CHECK: fcmp uno float
        p[i] = T.isnan(x[i])
        # CHECK: call float @atan2f(
        y[i] = T.atan2(x[i], x[0])
        # CHECK: call <4 x float> @llvm.exp.v4f32(
        y[0:4] = T.exp(x[0:4])
        # CHECK-COUNT-2: call float @erff(float
        y[0:2] = T.erf(x[0:2])
        # CHECK: call i32 @llvm.ctpop.i32(
        o[i] = T.popcount(q[i])
        # CHECK: call i32 @llvm.ctlz.i32(i32 %{{[0-9]+}}, i1 false)
        o[i] = T.clz(q[i])
        # CHECK: call i32 @llvm.abs.i32(i32 %{{[0-9]+}}, i1 false)
        o[i] = T.call_llvm_pure_intrin("int32", "llvm.abs", T.uint32(1), q[i], T.bool(False))
        # CHECK: %[[X:[0-9]+]] = sext i32 %{{[0-9]+}} to i64
        # CHECK: mul i64 %{{[0-9]+}}, 1518500250
        # CHECK: ashr i64 %{{[0-9]+}}, 34
        o[i] = T.q_multiply_shift(q[i], 1518500250, 31, -3)
        # CHECK: %[[T:[0-9]+]] = add i64 %{{[0-9]+}}, 31
        # CHECK: ashr i64 %{{[0-9]+}}, %[[T]]
        # CHECK-NEXT: icmp sgt i64 %[[T]], 63
        o[i] = T.q_multiply_shift_per_axis(q[i], q[0], q[1], q[2], 31, T.bool(True), T.bool(False))
