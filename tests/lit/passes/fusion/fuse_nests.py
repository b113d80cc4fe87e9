# RUN: tenon-opt %s --pipeline=fuse-nests | FileCheck %s
# from tvm.script import tir as T

@T.prim_func
def copy(x: T.Buffer((8,), "int8"), y: T.Buffer((8,), "int8")):
    for i in range(8):
        y[i] = x[i]

# CHECK-LABEL: def copy
# CHECK: y[i] = x[i]
