# An extern that is not found when the code runs.
# REQUIRES: llvm
# RUN: not tenon run %s --engine=jit 2>&1 | FileCheck %s
# CHECK: error: {{.*}}my_missing_function
from tvm.script import tir as T

@T.prim_func
def main(y: T.Buffer((4,), "int32")):
    y[0] = T.call_extern("int32", "my_missing_function", 3)
