# LLVM is asked to unroll a loop nest up to a result of 1,024 statements: here the inner two of four loops, and one more. Its time is
# quadratic in that number; this module took more than a minute.
# REQUIRES: measurable
# RUN: tenon compile %s --emit=llvm-ir -O0 --target=x86_64-linux-gnu -o - | FileCheck %s --implicit-check-not=".head, !llvm.loop"
# RUN: timeout 30 tenon compile %s --emit=obj -O2 -o %t.o
from tvm.script import tir as T

# CHECK-LABEL: @tvmgen_default_main
@T.prim_func
def main(x: T.Buffer((262144,), "int32"), y: T.Buffer((262144,), "int32")):
    # CHECK: br label %d.head, !llvm.loop ![[D:[0-9]+]]
    # CHECK: br label %c.head, !llvm.loop ![[C:[0-9]+]]
    for a in T.unroll(16):
        for b in T.unroll(16):
            for c in T.unroll(32):
                for d in T.unroll(32):
                    y[a * 16384 + b * 1024 + c * 32 + d] = x[a * 16384 + b * 1024 + c * 32 + d] // 7 + y[d]
    for e in T.unroll(1025):
        y[e] = x[e]
    # CHECK: br label %f.head, !llvm.loop ![[F:[0-9]+]]
    for n in range(4096):
        for f in T.unroll(512):
            y[f] = x[f + n]
            x[f] = n
    # CHECK-DAG: ![[D]] = distinct !{![[D]], ![[FULL:[0-9]+]]}
    # CHECK-DAG: ![[C]] = distinct !{![[C]], ![[FULL]]}
    # CHECK-DAG: ![[F]] = distinct !{![[F]], ![[FULL]]}
    # CHECK-DAG: ![[FULL]] = !{!"llvm.loop.unroll.full"}
