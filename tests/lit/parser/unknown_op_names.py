# --allow-unknown-ops keeps a builtin that no TVM has. Its name must be one that `T.name(...)` reads back.
# RUN: tenon-opt %s --allow-unknown-ops --verify-diagnostics --split-input-file
# RUN: tenon-opt %S/Inputs/unknown_op.py --allow-unknown-ops | FileCheck %s
# RUN: tenon-opt %S/Inputs/unknown_op.py --allow-unknown-ops --verify-roundtrip
# CHECK: T.Call("int32", "tir.my.frobnicate", [1])
# from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    # expected-error@+1 {{expected the name of a builtin (words separated by dots), found `tirT.Buffer(.x` [undefined-name]}}
    T.evaluate(T.Call("int32", "tir.tirT.Buffer(.x", [1]))

# -----
@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    # expected-error@+1 {{expected the name of a builtin (words separated by dots), found `for` [undefined-name]}}
    T.evaluate(T.Call("int32", "tir.for", [1]))
