# Loops count from 0; hints of their kind are metadata. Bounds are computed once, before the loop.
# REQUIRES: llvm
# RUN: tenon compile %s --emit=llvm-ir -O0 --target=x86_64-linux-gnu -o - | FileCheck %s
from tvm.script import tir as T

# CHECK-LABEL: @tvmgen_default_main
@T.prim_func
def main(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32"), n: T.Buffer((1,), "int32")):
    # CHECK: i.head:
    # CHECK-NEXT: %i = phi i32 [ 0, %entry ], [ %i.next, %i.body ]
    # CHECK-NEXT: icmp slt i32 %i, 8
    # CHECK: %i.next = add nuw nsw i32 %i, 1
    # CHECK-NEXT: br label %i.head{{$}}
    for i in range(8):
        y[i] = x[i]
    # CHECK: br label %j.head, !llvm.loop ![[UNROLL:[0-9]+]]
    for j in T.unroll(8):
        y[j] = x[j]
    # CHECK: br label %k.head, !llvm.loop ![[VECTOR:[0-9]+]]
    for k in T.vectorized(8):
        y[k] = x[k]
    # CHECK: br label %p.head, !llvm.loop ![[NEVER:[0-9]+]]
    for p in T.serial(8, annotations={"disable_unroll": 1}):
        y[p] = x[p]
    # CHECK: br label %q.head, !llvm.loop ![[SOME:[0-9]+]]
    for q in T.serial(8, annotations={"pragma_unroll": T.bool(True)}):
        y[q] = x[q]
    # CHECK: br label %r.head{{$}}
    for r in T.serial(8, annotations={"pragma_unroll": 0}):
        y[r] = x[r]
    # CHECK: %l.at = add nsw i32 2, %l
    for l in range(2, 6):
        y[l] = x[l]
    # CHECK: l.end:
    # CHECK: %[[N:[0-9]+]] = load i32
    # CHECK-NEXT: br label %o.head
    # CHECK: icmp slt i32 %o, %[[N]]
    for o in range(n[0]):
        n[0] = 0
    # No loop of one iteration.
    # CHECK-NOT: p.head
    for p in range(1):
        y[p] = p
    # CHECK: while.head:
    # CHECK: br i1 %{{[0-9]+}}, label %while.body, label %while.end
    while n[0] < 5:
        n[0] = n[0] + 1
    # CHECK: br i1 %{{[0-9]+}}, label %then, label %else
    if x[0] < 3:
        y[0] = 1
    else:
        y[0] = 2
    # CHECK: fail:
    # CHECK-NEXT: ret i32 -1
    assert x[0] < 8, "too large"
    y[0] = 3
# CHECK: ![[UNROLL]] = distinct !{![[UNROLL]], ![[FULL:[0-9]+]]}
# CHECK-NEXT: ![[FULL]] = !{!"llvm.loop.unroll.full"}
# CHECK-NEXT: ![[VECTOR]] = distinct !{![[VECTOR]], ![[ENABLE:[0-9]+]]}
# CHECK-NEXT: ![[ENABLE]] = !{!"llvm.loop.vectorize.enable", i1 true}
# CHECK-NEXT: ![[NEVER]] = distinct !{![[NEVER]], ![[DISABLE:[0-9]+]]}
# CHECK-NEXT: ![[DISABLE]] = !{!"llvm.loop.unroll.disable"}
# CHECK-NEXT: ![[SOME]] = distinct !{![[SOME]], ![[ENABLED:[0-9]+]]}
# CHECK-NEXT: ![[ENABLED]] = !{!"llvm.loop.unroll.enable"}
