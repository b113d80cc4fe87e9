# In `tirx`, assertions have error kinds.
#
# RUN: tenon-opt %s --split-input-file --dialect=tirx | FileCheck %s --check-prefix=TIRX
# RUN: tenon-opt %s --split-input-file --dialect=tir | FileCheck %s --check-prefix=TIR

# from tvm.script import tir as T

@T.prim_func
def f(n: T.int32):
    # TIRX: assert n > 0, ("RuntimeError", ["too small"])
    # TIRX-NEXT: T.evaluate(n)
    # TIR: assert n > 0, "too small"
    assert n > 0, "too small"
    T.evaluate(n)

# -----
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def f(n: T.int32):
    # TIRX: assert n > 0, ("RuntimeError", ["too small"])
    # TIRX-NEXT: assert n > 1, ("ValueError", ["n is ", "small"])
    # TIRX-NEXT: assert n > 2, ("RuntimeError", ["plain"])
    # TIR: assert n > 0, "too small"
    # TIR-NEXT: assert n > 1, "n is small"
    # TIR-NEXT: assert n > 2, "plain"
    assert n > 0, ("RuntimeError", ["too small"])
    assert n > 1, ("ValueError", ["n is ", "small"])
    assert n > 2, "plain"
    T.evaluate(n)
