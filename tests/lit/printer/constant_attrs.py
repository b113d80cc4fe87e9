# RUN: tenon-opt %s | FileCheck %s
# RUN: tenon-opt %s | tenon-opt - --verify-roundtrip | FileCheck %s

# An attribute may name a constant, so the table comes before all attributes.

from tvm.script import ir as I
from tvm.script import tir as T

# CHECK: I.module_attrs({"tenon.constants": [I.constant("table", [7, 8], "int8", [2], align=64)], "mine": [I.constant("table")]})
@I.ir_module
class Module:
    I.module_attrs({"mine": [I.constant("table", [7, 8], "int8", [2], align=64)]})
    @T.prim_func
    def main(B: T.Buffer((3,), "int8")):
        w = T.allocate_const(I.constant("table"), "int8", [2])
        w_1 = T.Buffer((2,), "int8", data=w)
        B[0] = w_1[0]
