# RUN: not tenon-opt %s --pipeline=flatten-buffers 2>&1 | FileCheck %s
# CHECK: <pipeline>:1:1: error: pass `flatten-buffers` expected a module of the form `no-blocks`, found a block; run `lower-blocks` first [pipeline]
# CHECK: flatten_buffers_errors.py:[[@LINE+6]]:5: note: a block

# from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((8,), "float32")):
    with T.block("b"):
        T.reads()
        T.writes()
        A[0] = T.float32(1)
