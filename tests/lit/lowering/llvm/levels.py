# Levels of optimisation: -Os and -Oz are for size, and no level changes results.
# REQUIRES: llvm
# RUN: rm -rf %t && mkdir %t
# RUN: tenon compile %s --emit=llvm-ir -Os -o - | FileCheck %s --check-prefix=SMALL --implicit-check-not=minsize
# RUN: tenon compile %s --emit=llvm-ir -Oz -o - | FileCheck %s --check-prefixes=SMALL,SMALLEST
# RUN: tenon compile %s --emit=llvm-ir -O2 -o - | FileCheck %s --check-prefix=ANY --implicit-check-not=optsize
# SMALL: define {{.*}}@tvmgen_default_run({{.*}} [[ATTRIBUTES:#[0-9]+]] {
# ANY: define {{.*}}@tvmgen_default_run(
# SMALLEST: attributes [[ATTRIBUTES]] = { {{.*}}minsize
# SMALL: optsize
# RUN: tenon run %s --engine=jit -Os --input 41 --output %t/small.npy && tenon run %s --input 41 --expect %t/small.npy
# RUN: not tenon compile %s --emit=obj -O4 -o %t/4.o 2>&1 | FileCheck %s --check-prefix=LEVEL
# LEVEL: -O: expected one of 0, 1, 2, 3, s, z; found `4`
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, y: T.Buffer((64,), "int32")):
    for i in range(64):
        y[i] = n + i * n
