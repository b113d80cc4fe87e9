# Hints to load a region: a line of 64 bytes each, at most four, on targets with caches. Results stay.
# REQUIRES: llvm
# RUN: tenon compile %s --emit=llvm-ir -O0 --target=x86_64-linux-gnu -o - | FileCheck %s
# RUN: tenon compile %s --emit=llvm-ir -O0 --target=aarch64-linux-gnu -o - | FileCheck %s
# RUN: tenon compile %s --emit=llvm-ir -O0 --target=thumbv7em-none-eabi -o - | FileCheck %s --check-prefix=NONE
# RUN: python3 %S/../../passes/Inputs/panels.py 33 %t.x.npy > %t.panels.py
# RUN: tenon run %t.panels.py --input %t.x.npy --output %t.y.npy -q
# RUN: tenon run %t.panels.py --input %t.x.npy --engine=jit -O3 --cpu=native --output %t.jit.npy -q
# RUN: cmp %t.y.npy %t.jit.npy
# NONE-NOT: llvm.prefetch
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((4096,), "float32"), y: T.Buffer((8,), "float32")):
    # CHECK: %[[AT:[0-9]+]] = getelementptr inbounds float, ptr %x, i32 %{{[0-9]+}}
    # CHECK-NEXT: getelementptr i8, ptr %[[AT]], i64 0
    # CHECK-NEXT: call void @llvm.prefetch.p0(ptr %{{[0-9]+}}, i32 0, i32 2, i32 1)
    # CHECK-NEXT: getelementptr i8, ptr %[[AT]], i64 64
    # CHECK-NEXT: call void @llvm.prefetch.p0(
    # CHECK-NOT: call void @llvm.prefetch
    for i in range(8):
        T.prefetch(x, [T.Range(i * 32, i * 32 + 17)])
        y[i] = x[i]
