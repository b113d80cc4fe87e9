# Conversions: toward zero, saturating, NaN to 0, but to true for bool; small floats are their bits.
# REQUIRES: llvm
# RUN: tenon compile %s --emit=llvm-ir -O0 --target=x86_64-linux-gnu -o - | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(f: T.Buffer((8,), "float32"), d: T.Buffer((8,), "float64"), h: T.Buffer((8,), "float16"), p: T.Buffer((8,), "bool"), b: T.Buffer((8,), "int8"), u: T.Buffer((8,), "uint64"), of: T.Buffer((8,), "float32"), ou: T.Buffer((8,), "uint32"), ol: T.Buffer((8,), "int64")):
    for i in range(8):
        # CHECK: call i8 @llvm.fptosi.sat.i8.f32(
        b[i] = T.Cast("int8", f[i])
        # CHECK: call i32 @llvm.fptoui.sat.i32.f64(
        ou[i] = T.Cast("uint32", d[i])
        # CHECK: fcmp une float %{{[0-9]+}}, 0.0
        p[i] = T.Cast("bool", f[i])
        # CHECK: %[[P:[0-9]+]] = icmp ne i8 %{{[0-9]+}}, 0
        # CHECK-NEXT: uitofp i1 %[[P]] to float
        of[i] = T.Cast("float32", p[i])
        # CHECK: zext i32 %{{[0-9]+}} to i64
        ol[i] = T.Cast("int64", ou[i])
        # CHECK: sext i8 %{{[0-9]+}} to i64
        ol[i] = T.Cast("int64", b[i])
        # CHECK: uitofp i64 %{{[0-9]+}} to float
        of[i] = T.Cast("float32", u[i])
        # CHECK: fptrunc double %{{[0-9]+}} to float
        of[i] = T.Cast("float32", d[i])
        # CHECK-NOT: half
        # CHECK: load i16
        # CHECK: bitcast i32 %{{[0-9]+}} to float
        of[i] = T.Cast("float32", h[i])
        # CHECK: bitcast float %{{[0-9]+}} to i32
        ou[i] = T.reinterpret("uint32", f[i])
