# TVM's own keys begin with the dialect; bools are bare in `tirx`.
#
# RUN: tenon-opt %s --split-input-file --dialect=tirx | FileCheck %s --check-prefix=TIRX
# RUN: tenon-opt %s --split-input-file --dialect=tir | FileCheck %s --check-prefix=TIR

# from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((4,), "int32")):
    # TIRX: T.func_attr({"k": 1, "tirx.noalias": True})
    # TIR: T.func_attr({"k": 1, "tir.noalias": T.bool(True)})
    T.func_attr({"tir.noalias": T.bool(True), "k": 1})
    A[0] = 1

# -----
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "int32")):
    # TIRX: T.func_attr({"k": 1, "tirx.noalias": True, "x": T.bool(True), "y": {"a": [1, 2.5, True, T.int64(3)]}})
    # TIR: T.func_attr({"k": 1, "tir.noalias": T.bool(True), "x": T.bool(True), "y": {"a": [1, T.float32(2.5), T.bool(True), T.int64(3)]}})
    T.func_attr({"k": 1, "tirx.noalias": True, "x": T.bool(True), "y": {"a": [1, 2.5, True, T.int64(3)]}})
    A[0] = 1
