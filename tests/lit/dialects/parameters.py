# In `tirx`, a parameter declares all properties of its buffer.
#
# RUN: tenon-opt %s --split-input-file --dialect=tirx | FileCheck %s --check-prefix=TIRX
# RUN: tenon-opt %s --split-input-file --dialect=tir | FileCheck %s --check-prefix=TIR

# from tvm.script import tir as T

@T.prim_func
def f(a: T.handle, b: T.handle):
    # TIRX: def f(A: T.Buffer(("n", n * 2), "float32", align=16), B: T.Buffer((n,), "float32", strides=("s",), offset_factor=1)):
    # TIRX-NEXT: n = T.int32()
    # TIRX-NEXT: A[0, 0] = B[0] * T.Cast("float32", n)
    # TIR: def f(a: T.handle, b: T.handle):
    # TIR-NEXT: n = T.int32()
    # TIR-NEXT: A = T.match_buffer(a, (n, n * 2), align=16)
    # TIR-NEXT: B = T.match_buffer(b, (n,), strides=("s",), offset_factor=1)
    n = T.int32()
    A = T.match_buffer(a, (n, n * 2), align=16)
    B = T.match_buffer(b, (n,), strides=("s",), offset_factor=1)
    A[0, 0] = B[0] * T.Cast("float32", n)

# -----
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def f(A: T.Buffer(("n", "m + 1"), "float32", align=16), m: T.int64):
    # TIRX: def f(A: T.Buffer(("n", "m + T.int64(1)"), "float32", align=16), m: T.int64):
    # TIRX-NEXT: n = T.int32()
    # TIRX-NEXT: A[0, m] = T.Cast("float32", n)
    # TIR: def f(A_handle: T.handle, m: T.int64):
    # TIR-NEXT: n = T.int32()
    # TIR-NEXT: A = T.match_buffer(A_handle, (n, m + T.int64(1)), align=16)
    A[0, m] = T.Cast("float32", n)
