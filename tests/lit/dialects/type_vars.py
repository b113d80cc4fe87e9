# In `tirx`, 64-bit extents that no parameter defines have a separate line.
#
# RUN: tenon-opt %s --split-input-file --dialect=tirx | FileCheck %s --check-prefix=TIRX
# RUN: tenon-opt %s --split-input-file --dialect=tir | FileCheck %s --check-prefix=TIR

# from tvm.script import tir as T

@T.prim_func
def f(a: T.handle):
    # TIRX: # from typing import TypeVar
    # TIRX: n = TypeVar("n")
    # TIRX-NEXT: @T.prim_func(s_tir=True)
    # TIRX-NEXT: def f(A: T.Buffer((n, "n * T.int64(2)"), "float32")):
    n = T.int64()
    A = T.match_buffer(a, (n, n * T.int64(2)))
    A[0, 0] = T.Cast("float32", n)

# -----
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

n = TypeVar("n")
@T.prim_func(s_tir=True)
def f(A: T.Buffer((n, "n * T.int64(2)"), "float32")):
    # TIR: def f(A_handle: T.handle):
    # TIR-NEXT: n = T.int64()
    # TIR-NEXT: A = T.match_buffer(A_handle, (n, n * T.int64(2)))
    # TIRX: n = TypeVar("n")
    # TIRX-NEXT: @T.prim_func(s_tir=True)
    # TIRX-NEXT: def f(A: T.Buffer((n, "n * T.int64(2)"), "float32")):
    A[0, 0] = T.Cast("float32", n)
