# Integers wrap; operations that are proven not to wrap have nsw or nuw flags.
# REQUIRES: llvm
# RUN: tenon compile %plain %s --emit=llvm-ir -O0 --target=x86_64-linux-gnu -o - | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(a: T.Buffer((8,), "int32"), b: T.Buffer((8,), "int8"), d: T.Buffer((8,), "int64"), e: T.Buffer((8,), "uint32"), y: T.Buffer((8,), "int32"), z: T.Buffer((8,), "int8"), w: T.Buffer((8,), "int64"), v: T.Buffer((8,), "uint32")):
    for i in range(8):
        # CHECK: %[[M:[0-9]+]] = mul i32 %{{[0-9]+}}, 3
        # CHECK-NEXT: add i32 %{{[0-9]+}}, %[[M]]
        y[i] = a[i] + a[7 - i] * T.int32(3)
        # CHECK: add i8
        z[i] = b[i] + b[7 - i]
        # CHECK: sub i64 %{{[0-9]+}}, 9223372036854775807
        w[i] = d[i] - T.int64(9223372036854775807)
        # CHECK: mul i32 %{{[0-9]+}}, -1
        v[i] = e[i] * T.uint32(4294967295)
        # CHECK: sext i8
        # CHECK: %[[M:[0-9]+]] = mul nsw i32
        # CHECK-NEXT: add nsw i32 %[[M]], 5
        y[i] = T.Cast("int32", b[i]) * T.Cast("int32", b[7 - i]) + 5
        # CHECK: %[[M:[0-9]+]] = call i32 @llvm.smax.i32(i32 %{{[0-9]+}}, i32 -128)
        # CHECK-NEXT: call i32 @llvm.smin.i32(i32 %[[M]], i32 127)
        y[7 - i] = T.min(T.max(a[i], -128), 127)
        # CHECK: call i32 @llvm.umax.i32
        v[i] = T.max(e[i], e[0])
        # CHECK: store i64 -9223372036854775808
        w[i] = T.int64(-9223372036854775808)
