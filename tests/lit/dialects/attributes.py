# Attributes of the node 0, and of other nodes.
#
# RUN: tenon-opt %s --split-input-file --dialect=tirx | FileCheck %s --check-prefix=TIRX
# RUN: tenon-opt %s --split-input-file --dialect=tir | FileCheck %s --check-prefix=TIR

# from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((4,), "int32")):
    # TIRX: with T.attr({"pragma_x": 1, "pragma_y": 2}):
    # TIRX-NEXT: A[0] = 1
    # TIRX-NEXT: T.attr(A.data, "x", 1)
    # TIR: with T.attr(0, "pragma_x", 1):
    # TIR-NEXT: T.attr(0, "pragma_y", 2)
    with T.attr(0, "pragma_x", 1):
        T.attr(0, "pragma_y", 2)
        A[0] = 1
    T.attr(A.data, "x", 1)
    A[1] = 1

# -----
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "int32")):
    # TIRX: T.attr({"pragma_x": 1, "pragma_y": 2})
    # TIRX-NEXT: A[0] = 1
    # TIR: T.attr(0, "pragma_x", 1)
    # TIR-NEXT: T.attr(0, "pragma_y", 2)
    # TIR-NEXT: A[0] = 1
    T.attr({"pragma_x": 1, "pragma_y": 2})
    A[0] = 1
