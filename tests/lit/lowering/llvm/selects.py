# Only the needed arm of a conditional runs, unless both are harmless.
# REQUIRES: llvm
# RUN: tenon compile %s --emit=llvm-ir -O0 --target=x86_64-linux-gnu -o - | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(a: T.Buffer((8,), "int32"), f: T.Buffer((8,), "float32"), y: T.Buffer((8,), "int32"), p: T.Buffer((8,), "bool"), g: T.Buffer((8,), "float32")):
    for i in range(8):
        # CHECK: icmp eq i32
        # CHECK-NEXT: br i1 %{{[0-9]+}}, label %[[MORE:.*]], label %[[DECIDED:.*]]
        # CHECK: [[MORE]]:
        # CHECK: fcmp oge float
        # CHECK: [[DECIDED]]:
        # CHECK-NEXT: phi i1 [ false, %{{.*}} ], [ %{{.*}}, %[[MORE]] ]
        p[i] = a[i] == a[0] and f[i] >= f[0]
        # CHECK: select i1 %{{[0-9]+}}, i32 5, i32 %i
        y[i] = T.Select(i > 3, 5, i)
        # CHECK: br i1 %{{[0-9]+}}, label %[[THEN:choose.then[0-9]*]], label %[[ELSE:choose.else[0-9]*]]
        # CHECK: [[THEN]]:
        # CHECK: load i32
        # CHECK: [[ELSE]]:
        # CHECK: phi i32 [ %{{[0-9]+}}, %[[THEN]] ], [ 0, %[[ELSE]] ]
        y[i] = T.if_then_else(i > 0, a[i - 1], 0)
        # CHECK: %[[T:[0-9]+]] = fcmp ogt float %[[F:[0-9]+]], 0.0
        # CHECK-NEXT: select i1 %[[T]], float %[[F]], float 0.0
        g[i] = T.max(f[i], T.float32(0))
        # CHECK: fcmp une float
        p[i] = f[i] != f[0]
        # CHECK: %[[P:[0-9]+]] = icmp ne i8
        # CHECK-NEXT: %[[N:[0-9]+]] = xor i1 %[[P]], true
        # CHECK-NEXT: zext i1 %[[N]] to i8
        p[i] = not p[i]
