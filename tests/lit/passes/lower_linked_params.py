# Constant parameters, in two older notations, become constants of their functions.
# RUN: tenon-opt %s --pipeline=lower-linked-params | FileCheck %s
# RUN: tenon-opt %s --pipeline='fix(lower-linked-params)' | FileCheck %s
# RUN: not tenon-opt %S/Inputs/lookup_of_nothing.py --pipeline=lower-linked-params 2>&1 | FileCheck %s --check-prefix=NOTHING
# NOTHING: lookup_of_nothing.py:6:{{[0-9]+}}: error: no `link_params` has the parameter `p9` [pass]

# Keyed by a name: a bound variable becomes the constant's; a lookup inside an expression gets one
# new variable.
# RUN: tenon-opt %S/../tools/Inputs/linked_by_name.py --pipeline=lower-linked-params | FileCheck %s --check-prefix=NAME
# RUN: tenon-opt %S/../tools/Inputs/linked_by_name.py --pipeline='fix(lower-linked-params)' | FileCheck %s --check-prefix=NAME
# NAME: def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8"), z: T.Buffer((4,), "int8")):
# NAME-NOT: link_params
# NAME-NEXT: p1 = T.allocate_const(I.constant("p1"), "int8", [2, 2])
# NAME-NEXT: p = T.allocate_const(I.constant("p0"), "int8", [4])
# NAME-NEXT: T.call_extern("int32", "f", p1, z.data)
# NAME-NEXT: T.call_extern("int32", "f", p1, y.data)

# Keyed by the parameter: it is no longer a parameter, and callers leave it out.
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class ByParameter:
    I.module_attrs({"tenon.constants": [I.constant("p0", [1, 2, 3, 4], "int8", [4]), I.constant("p1", [5, 6, 7, 8], "int8", [2, 2])]})
    # CHECK: def layer(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8")):
    # CHECK-NOT: link_params
    # CHECK-NEXT: [[P0:p0.*]] = T.allocate_const(I.constant("p0"), "int8", [4])
    # CHECK-NEXT: [[P1:p1.*]] = T.allocate_const(I.constant("p1"), "int8", [2, 2])
    # CHECK: T.Buffer((4,), "int8", data=[[P0]])
    # CHECK: T.Buffer((2, 2), "int8", data=[[P1]])
    @T.prim_func
    def layer(x: T.Buffer((4,), "int8"), p0: T.Buffer((4,), "int8"), p1: T.handle, y: T.Buffer((4,), "int8")):
        T.func_attr({"link_params": {p0: I.constant("p0"), p1: I.constant("p1")}})
        p1_1 = T.match_buffer(p1, (2, 2), "int8")
        for i in range(4):
            y[i] = x[i] + p0[i] * p1_1[i // 2, i % 2]

    # CHECK: def main(
    # CHECK: ByParameter.layer(x.data, y.data)
    # CHECK: T.call_extern("int32", "layer", x.data, y.data)
    @T.prim_func
    def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8"), n: T.Buffer((4,), "int8")):
        ByParameter.layer(x.data, n.data, n.data, y.data)
        T.call_extern("int32", "layer", x.data, n.data, n.data, y.data)
