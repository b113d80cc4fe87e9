# RUN: tenon-opt %s --pipeline=lower-vectors --verify-diagnostics

# from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((8,), "int32")):
    # expected-error@+1 {{lower-vectors cannot write this call with scalars}}
    A[0:4] = T.call_extern("int32x4", "g", A[4:8])
