# RUN: tenon-opt %s --pipeline=flatten-buffers --verify-diagnostics

# from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((8,), "float32")):
    # expected-error@+1 {{flatten-buffers can't flatten a block; blocks are lowered by lower-blocks}}
    with T.block("b"):
        T.reads()
        T.writes()
        A[0] = T.float32(1)
