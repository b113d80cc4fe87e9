# RUN: tenon-opt %s --pipeline=lower-intrin --verify-diagnostics

# from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((8,), "int32")):
    # expected-error@+1 {{`q_multiply_shift` shifts by less than 1 or more than 63 bits in total}}
    A[0] = T.q_multiply_shift(A[1], 1395864371, 31, -40)
