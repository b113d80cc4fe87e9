# Hints to load weights that follow reach LLVM code, a line of 64 bytes each. Results stay. Hints of the text
# are left out.
# REQUIRES: llvm
# RUN: python3 %S/../../passes/Inputs/panels.py 33 %t.x.npy > %t.panels.py
# RUN: tenon compile %t.panels.py --emit=llvm-ir -O2 --target=x86_64-linux-gnu --cpu=x86-64-v4 -o - | FileCheck %s
# RUN: tenon compile %s --emit=llvm-ir -O2 --target=x86_64-linux-gnu -o - | FileCheck %s --check-prefix=NONE
# RUN: tenon run %t.panels.py --input %t.x.npy --output %t.y.npy -q
# RUN: tenon run %t.panels.py --input %t.x.npy --engine=jit -O3 --cpu=native --output %t.jit.npy -q
# RUN: cmp %t.y.npy %t.jit.npy
# CHECK: call void @llvm.prefetch.p0(ptr {{.*}}, i32 0, i32 2, i32 1)
# NONE-NOT: llvm.prefetch
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((64,), "float32"), y: T.Buffer((8,), "float32")):
    for i in range(8):
        T.prefetch(x, [T.Range(i, i + 17)])
        y[i] = x[i]
