# Division: LLVM's if it has the same meaning, else code that rounds toward minus infinity, and wraps if the
# quotient may not fit.
# REQUIRES: llvm
# RUN: tenon compile %s --emit=llvm-ir -O0 --target=x86_64-linux-gnu -o - | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(a: T.Buffer((8,), "int32"), b: T.Buffer((8,), "int8"), e: T.Buffer((8,), "uint32"), f: T.Buffer((8,), "float32"), y: T.Buffer((8,), "int32"), z: T.Buffer((8,), "int8"), v: T.Buffer((8,), "uint32"), g: T.Buffer((8,), "float32")):
    for i in range(8):
        # CHECK: %[[R:[0-9]+]] = srem i32 %{{[0-9]+}}, 3
        # CHECK-NEXT: %[[Q:[0-9]+]] = sdiv i32 %{{[0-9]+}}, 3
        # CHECK-NEXT: %[[OFF:[0-9]+]] = icmp slt i32 %[[R]], 0
        # CHECK-NEXT: %[[LESS:[0-9]+]] = sub i32 %[[Q]], 1
        # CHECK-NEXT: select i1 %[[OFF]], i32 %[[LESS]], i32 %[[Q]]
        y[i] = a[i] // 3
        # CHECK: ashr i32 %{{[0-9]+}}, 3
        y[i] = a[i] // 8
        # CHECK: and i32 %{{[0-9]+}}, 7
        y[i] = a[i] % 8
        # CHECK: %[[ONE:[0-9]+]] = icmp eq i32 %[[B:[0-9]+]], -1
        # CHECK-NEXT: %[[BY:[0-9]+]] = select i1 %[[ONE]], i32 1, i32 %[[B]]
        # CHECK-NEXT: %[[R:[0-9]+]] = srem i32 %{{[0-9]+}}, %[[BY]]
        # CHECK-NEXT: xor i32 %[[R]], %[[B]]
        # CHECK: add i32 %[[R]], %[[B]]
        # CHECK-NEXT: select i1
        y[i] = a[i] % a[7 - i]
        # CHECK: sdiv i32 %{{[0-9]+}}, 3
        # CHECK-NOT: select
        y[i] = T.truncdiv(a[i], 3)
        # CHECK: select i1 %{{[0-9]+}}, i8 1
        # CHECK-NEXT: %[[Q:[0-9]+]] = sdiv i8
        # CHECK-NEXT: %[[NEG:[0-9]+]] = sub i8 0,
        # CHECK-NEXT: select i1 %{{[0-9]+}}, i8 %[[NEG]], i8 %[[Q]]
        z[i] = T.truncdiv(b[i], b[0])
        # CHECK: srem i32 %i, 5
        # CHECK-NEXT: sdiv i32 %i, 3
        y[i // 3] = i % 5
        # CHECK: udiv i32
        v[i] = e[i] // e[0]
        # CHECK: %[[F:[0-9]+]] = fdiv float
        # CHECK-NEXT: call float @llvm.floor.f32(float %[[F]])
        g[i] = T.floordiv(f[i], f[0])
        # CHECK: frem float
        g[i] = T.truncmod(f[i], f[0])
