# The difference of the bounds of a region wraps, as all arithmetic does.
# RUN: tenon-opt %s | FileCheck %s
# CHECK: T.reads(A[T.int64(-9223372036854775801):
# from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((8,), "float32")):
    with T.block("b"):
        T.reads(A[T.int64(-9223372036854775801):T.int64(21)])
        T.writes()
        T.evaluate(0)
