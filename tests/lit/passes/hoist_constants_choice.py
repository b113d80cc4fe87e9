# The functions that constants are hoisted from, and hoisting from caller to caller.
# RUN: tenon-opt %s --pipeline='hoist-constants{attr=Compiler}' 2>&1 | FileCheck %s --check-prefixes=CHECK,ATTR
# RUN: tenon-opt %s --pipeline='hoist-constants{attr=Compiler=npu}' 2>&1 | FileCheck %s --check-prefixes=CHECK,NPU
# RUN: tenon-opt %s --pipeline='hoist-constants' 2>&1 | FileCheck %s --check-prefixes=CHECK,PRIVATE
# RUN: tenon-opt %s --pipeline='hoist-constants{functions=tvmgen_dsp attr=Compiler=npu}' 2>&1 | FileCheck %s --check-prefixes=CHECK,BOTH
# RUN: tenon-opt %s --pipeline='hoist-constants{functions=*}' 2>&1 | FileCheck %s --check-prefixes=CHECK,ATTR
# RUN: tenon-opt %s --pipeline='fix(hoist-constants{attr=Compiler})' 2>&1 | FileCheck %s --check-prefixes=CHECK,ATTR

from tvm.script import ir as I
from tvm.script import tir as T

# A constant that is passed through two functions is one entry of the table.
# ATTR: "tenon.constants": [I.constant("w", [1, 2], "int8", [2]), I.constant("v", [3, 4], "int8", [2]), I.constant("u", [5, 6, 7], "int8", [3])]})
@I.ir_module
class Module:
    # An attribute and no caller: constants stay.
    # CHECK-LABEL: def alone(
    # CHECK: w = T.allocate_const
    @T.prim_func
    def alone(y: T.Buffer((2,), "int8")):
        T.func_attr({"Compiler": "npu"})
        w = T.allocate_const([1, 2], "int8", [2])
        w_1 = T.Buffer((2,), "int8", data=w)
        y[0] = w_1[0] + w_1[1]

    # CHECK-LABEL: def dsp(
    # ATTR-SAME: w: T.Buffer
    # BOTH-SAME: w: T.Buffer
    # NPU: w = T.allocate_const
    # PRIVATE: w = T.allocate_const
    @T.prim_func
    def dsp(y: T.Buffer((2,), "int8")):
        T.func_attr({"Compiler": "dsp", "global_symbol": "tvmgen_dsp"})
        w = T.allocate_const([1, 2], "int8", [2])
        w_1 = T.Buffer((2,), "int8", data=w)
        y[0] = w_1[0] + w_1[1]

    # It gets the constants of its callees, and passes all on.
    # CHECK-LABEL: def middle(
    # PRIVATE-SAME: T.Buffer((2,), "int8")):
    # NPU-SAME: v: T.Buffer((2,), "int8"), u: T.Buffer((3,), "int8")
    # BOTH-SAME: w: T.Buffer((2,), "int8"), v: T.Buffer((2,), "int8"), u: T.Buffer((3,), "int8")
    # ATTR-SAME: w: T.Buffer((2,), "int8"), v: T.Buffer((2,), "int8"), u: T.Buffer((3,), "int8")
    # NPU: T.call_extern("int32", "tvmgen_dsp", y.data)
    # NPU: Module.npu(y.data, v.data)
    # BOTH: T.call_extern("int32", "tvmgen_dsp", y.data, w.data)
    @T.prim_func
    def middle(y: T.Buffer((2,), "int8")):
        T.func_attr({"Compiler": "npu"})
        u = T.allocate_const([5, 6, 7], "int8", [3])
        u_1 = T.Buffer((3,), "int8", data=u)
        T.call_extern("int32", "tvmgen_dsp", y.data)
        Module.npu(y.data)
        y[0] = y[0] + u_1[2]

    # CHECK-LABEL: def npu(
    # CHECK-SAME: v: T.Buffer((2,), "int8")
    # CHECK-NOT: allocate_const
    @T.prim_func(private=True)
    def npu(y: T.Buffer((2,), "int8")):
        T.func_attr({"Compiler": "npu"})
        v = T.allocate_const([3, 4], "int8", [2])
        v_1 = T.Buffer((2,), "int8", data=v)
        y[1] = v_1[0] + v_1[1]

    # CHECK-LABEL: def main(
    # PRIVATE-NEXT: Module.middle(y.data)
    # ATTR-NEXT: w = T.allocate_const(I.constant("w"), "int8", [2])
    # ATTR-NEXT: v = T.allocate_const(I.constant("v"), "int8", [2])
    # ATTR-NEXT: u = T.allocate_const(I.constant("u"), "int8", [3])
    # ATTR-NEXT: Module.middle(y.data, w, v, u)
    @T.prim_func
    def main(y: T.Buffer((2,), "int8")):
        Module.middle(y.data)
