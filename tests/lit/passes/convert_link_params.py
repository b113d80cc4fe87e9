# Conversions between the three ways to write constants.
# RUN: rm -rf %t && mkdir -p %t
# RUN: tenon-opt %s --pipeline=extract-constants -o %t/extracted.py
# RUN: tenon-opt %s --pipeline='convert-link-params{to=attrs}' --verify-roundtrip -o %t/attrs.py
# RUN: FileCheck %s --check-prefix=ATTRS < %t/attrs.py
# RUN: tenon-opt %t/attrs.py --pipeline=convert-link-params --compare=%t/extracted.py | FileCheck %s --check-prefix=EQUAL
# RUN: tenon-opt %s --pipeline='convert-link-params{to=params}' --verify-roundtrip -o %t/params.py
# RUN: FileCheck %s --check-prefix=PARAMS < %t/params.py
# RUN: tenon-opt %t/params.py --pipeline=convert-link-params --compare=%t/extracted.py | FileCheck %s --check-prefix=EQUAL
# RUN: tenon-opt %t/params.py --pipeline='convert-link-params,convert-link-params{to=attrs}' --compare=%t/attrs.py | FileCheck %s --check-prefix=EQUAL
# EQUAL: equal
#
# Readers that ignore the notes still understand both.
# RUN: tenon-opt %t/attrs.py --pipeline=lower-linked-params | FileCheck %s --check-prefix=LOWERED
# RUN: tenon-opt %t/params.py --pipeline=lower-linked-params | FileCheck %s --check-prefix=LOWERED
# LOWERED-NOT: link_params
# LOWERED: def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8")):
# LOWERED: T.allocate_const(I.constant("own"), "int8", [4])
#
# RUN: not tenon-opt %s --pipeline='convert-link-params{to=registers}' 2>&1 | FileCheck %s --check-prefix=WRONG
# WRONG: error: `to=registers`, expected allocate_const, attrs or params [pass]

# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("w", [1, 2, 3, 4], "int8", [4], align=64)]})

    # A key for each constant; one more if there is more information than the data.
    # ATTRS: def layer(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8")):
    # ATTRS-NEXT: T.func_attr({"link_params": {"in_": I.constant("in_"), "w": I.constant("w"), "w_1": I.constant("w")}, "tenon.linked_params": {"w_1": {"annotations": {"note": 3}, "extents": [T.int64(4)], "use": "let"}}})
    # ATTRS-NEXT: first: T.handle("int8") = T.lookup_param("w")
    # ATTRS-NEXT: again: T.handle("int8") = T.lookup_param("w")
    # ATTRS-NEXT: noted: T.handle("int8") = T.lookup_param("w_1")
    # ATTRS-NEXT: for i in range(4):
    # ATTRS-NEXT: T.handle("int8") = T.lookup_param("in_")
    # PARAMS: def layer(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8"), w: T.Buffer((4,), "int8"), [[NOTED:w_.*]]: T.Buffer((4,), "int8"), [[IN:in_.*]]: T.Buffer((1,), "int8")):
    # PARAMS-NOT: link_params"
    # PARAMS: [[NOTED]].data
    @T.prim_func
    def layer(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8")):
        first = T.allocate_const(I.constant("w"), "int8", [4])
        again = T.allocate_const(I.constant("w"), "int8", [4])
        noted = T.allocate_const(I.constant("w"), "int8", [T.int64(4)], annotations={"note": 3})
        first_1 = T.Buffer((4,), "int8", data=first)
        again_1 = T.Buffer((4,), "int8", data=again)
        noted_1 = T.Buffer((4,), "int8", data=noted)
        for i in range(4):
            in_ = T.allocate_const([7], "int8", [1])
            in_1 = T.Buffer((1,), "int8", data=in_)
            y[i] = x[i] + first_1[i] + again_1[i] + noted_1[i] + in_1[0]

    # ATTRS: def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8")):
    # ATTRS-NEXT: T.func_attr({"link_params": {"own": I.constant("own")}})
    # ATTRS-NEXT: own: T.handle("int8") = T.lookup_param("own")
    # PARAMS: def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8"), own: T.Buffer((4,), "int8"), w: T.Buffer((4,), "int8"), [[MAIN_IN:in_.*]]: T.Buffer((1,), "int8")):
    # PARAMS-NEXT: T.func_attr({"link_params": {own: I.constant("own"), w: I.constant("w"), [[MAIN_IN]]: I.constant("in_")}, "tenon.lifted_params":
    # PARAMS-NEXT: T.call_extern("int32", "layer", own.data, y.data, w.data, w.data, [[MAIN_IN]].data)
    @T.prim_func
    def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8")):
        own = T.allocate_const([1, 1, 1, 1], "int8", [4])
        T.call_extern("int32", "layer", own, y.data)
