# The interpreter reports the failing statement; nothing is written then.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %S/Inputs/npy.py %t/x.npy i4 4 0 1 2 9
# RUN: not tenon run %s --input %t/x.npy --output %t/y.npy 2>&1 | FileCheck %s
# RUN: not ls %t/y.npy

# CHECK: run_checks.py:[[#@LINE+6]]:{{.*}}error: {{.*}}[out-of-bounds]
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
    for i in range(4):
        y[x[i]] = i
