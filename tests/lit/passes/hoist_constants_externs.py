# RUN: tenon-opt %s --pipeline=hoist-constants 2>/dev/null | FileCheck %s
# RUN: tenon-opt %s --pipeline='hoist-constants' 2>/dev/null | tenon-opt - 2>&1 | FileCheck %s --check-prefix=SAID
# SAID-NOT: warning
# Externs that get a constant: their assumed effects are recorded.
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Externs:
    # CHECK-LABEL: def external(
    # CHECK: "tenon.externs": {"declared": ["w", "r"], "dense": ["rw", "c", "", "c"]}
    # CHECK: T.call_extern("int32", "dense", y.data, w.data, 3, w.data)
    @T.prim_func(private=True)
    def external(y: T.Buffer((2,), "int8")):
        T.func_attr({"Compiler": "npu", "tenon.externs": {"declared": ["w", "r"]}})
        w = T.allocate_const([1, 2], "int8", [2])
        T.call_extern("int32", "dense", y.data, w, 3, w)
        T.call_extern("int32", "declared", y.data, w)
        T.call_extern("int32", "not_passed_any", y.data)

    @T.prim_func
    def main(y: T.Buffer((2,), "int8")):
        Externs.external(y.data)
