# The decorator: functions of `tirx` are marked.
#
# RUN: tenon-opt %s --split-input-file --dialect=tirx | FileCheck %s --check-prefix=TIRX
# RUN: tenon-opt %s --split-input-file --dialect=tir | FileCheck %s --check-prefix=TIR

# from tvm.script import tir as T

# TIRX: @T.prim_func(private=True, s_tir=True)
# TIR: @T.prim_func(private=True){{$}}
@T.prim_func(private=True)
def f(A: T.Buffer((4,), "float32")):
    A[0] = T.float32(1.0)

# -----
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

# TIRX: @T.prim_func(s_tir=True)
# TIR: @T.prim_func{{$}}
@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32")):
    A[0] = T.float32(1.0)

# -----
# from tvm.script import tirx as T
# TIRX: @T.prim_func{{$}}
# TIR: @T.prim_func{{$}}
@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    A[0] = T.float32(1.0)
