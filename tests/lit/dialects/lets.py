# Lets that end before their block does.
#
# RUN: tenon-opt %s --split-input-file --dialect=tirx | FileCheck %s --check-prefix=TIRX
# RUN: tenon-opt %s --split-input-file --dialect=tir | FileCheck %s --check-prefix=TIR

# from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((4,), "int32")):
    # TIRX: x: T.let[T.int32] = A[0]
    # TIRX-NEXT: A[1] = x
    # TIRX-NEXT: x_1: T.let[T.int32] = A[1]
    # TIRX-NEXT: A[2] = x_1
    # TIRX-NEXT: A[3] = 1
    # TIR: with T.LetStmt(A[0]) as x:
    with T.LetStmt(A[0]) as x:
        A[1] = x
    with T.LetStmt(A[1]) as x:
        A[2] = x
    A[3] = 1

# -----
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "int32")):
    # TIRX: x: T.let[T.int32] = A[0]
    # TIRX-NEXT: A[3] = x
    # TIR: x: T.int32 = A[0]
    # TIR-NEXT: A[3] = x
    x: T.let[T.int32] = A[0]
    A[3] = x
