# The annotations of unrolling have a separate argument in `tirx`.
#
# RUN: tenon-opt %s --split-input-file --dialect=tirx | FileCheck %s --check-prefix=TIRX
# RUN: tenon-opt %s --split-input-file --dialect=tir | FileCheck %s --check-prefix=TIR

# from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((8,), "int32")):
    # TIRX: for i in T.serial(4, unroll=True):
    # TIRX: for i in T.serial(4, annotations={"k": 1}):
    # TIR: for i in T.serial(4, annotations={"pragma_unroll": T.bool(True)}):
    for i in T.serial(4, annotations={"pragma_unroll": T.bool(True)}):
        A[i] = 1
    for i in T.serial(4, annotations={"k": 1}):
        A[i] = 2

# -----
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def f(A: T.Buffer((8,), "int32")):
    # TIRX: for i in T.serial(4, unroll=True):
    # TIRX: for i in T.vectorized(4, unroll=False):
    # TIR: for i in T.serial(4, annotations={"pragma_unroll": T.bool(True)}):
    # TIR: for i in T.vectorized(4, annotations={"disable_unroll": T.bool(True)}):
    for i in T.serial(4, unroll=True):
        A[i] = 1
    for i in T.vectorized(4, unroll=False):
        A[i] = 2
