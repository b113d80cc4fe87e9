# The lines that import the dialect, which also determine the dialect of a text.
#
# RUN: tenon-opt %s --split-input-file --dialect=tirx | FileCheck %s --check-prefix=TIRX
# RUN: tenon-opt %s --split-input-file --dialect=tir | FileCheck %s --check-prefix=TIR

# from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    # TIRX: # from tvm.script import tirx as T
    # TIRX-NEXT: # from tvm.tirx.layout import Axis
    # TIRX-EMPTY:
    # TIR: # from tvm.script import tir as T
    # TIR-EMPTY:
    A[0] = T.float32(1.0)

# -----
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32")):
    # TIRX: # from tvm.script import tirx as T
    # TIRX-NEXT: # from tvm.tirx.layout import Axis
    # TIR: # from tvm.script import tir as T
    A[0] = T.float32(1.0)
