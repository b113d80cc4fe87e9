# Names of dtypes.
#
# RUN: tenon-opt %s --split-input-file --dialect=tirx | FileCheck %s --check-prefix=TIRX
# RUN: tenon-opt %s --split-input-file --dialect=tir | FileCheck %s --check-prefix=TIR

# from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((4,), "e4m3_float8"), B: T.Buffer((4,), "e5m2_float8x4"), C: T.Buffer((4,), "uint1x4")):
    # TIRX: def f(A: T.Buffer((4,), "float8_e4m3fn"), B: T.Buffer((4,), "float8_e5m2x4"), C: T.Buffer((4,), "boolx4")):
    # TIR: def f(A: T.Buffer((4,), "e4m3_float8"), B: T.Buffer((4,), "e5m2_float8x4"), C: T.Buffer((4,), "uint1x4")):
    A[0] = A[1]

# -----
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float8_e4m3fn"), B: T.Buffer((4,), "float8_e5m2"), C: T.Buffer((4,), "boolx4")):
    # TIRX: def f(A: T.Buffer((4,), "float8_e4m3fn"), B: T.Buffer((4,), "float8_e5m2"), C: T.Buffer((4,), "boolx4")):
    # TIR: def f(A: T.Buffer((4,), "e4m3_float8"), B: T.Buffer((4,), "e5m2_float8"), C: T.Buffer((4,), "uint1x4")):
    A[0] = A[1]
