# Constants become parameters up to the entry, and return to their places.
# RUN: rm -rf %t && mkdir -p %t
# RUN: tenon-opt %s --pipeline='lift-params{file=%t/w.safetensors}' --verify-roundtrip --timing -o %t/lifted.py 2>&1 | FileCheck %s --check-prefix=TIMING
# RUN: FileCheck %s < %t/lifted.py
# RUN: FileCheck %s --check-prefix=NONE < %t/lifted.py
# RUN: tenon-opt %t/lifted.py --pipeline='bind-params{file=%t/w.safetensors}' -o %t/bound.py
# RUN: FileCheck %s --check-prefix=BOUND < %t/bound.py
# RUN: tenon-opt %s --pipeline=extract-constants --compare=%t/bound.py | FileCheck %s --check-prefix=EQUAL
# EQUAL: equal
#
# Nothing is written if that fails, and nothing is lifted from a planned module.
# RUN: not tenon-opt %s --pipeline='lift-params{file=%t/none/w.safetensors}' 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
# UNWRITTEN: error: cannot {{.*}}none/w.safetensors{{.*}}: No such file or directory [constant-file]
# RUN: not tenon-opt %S/Inputs/lift_errors.py --split-input-file --pipeline='lift-params{file=%t/x.safetensors}' 2>&1 | FileCheck %S/Inputs/lift_errors.py
# RUN: not ls %t/x.safetensors

# from tvm.script import ir as I
# from tvm.script import tir as T

# TIMING-DAG: 6 {{ *}}lift-params.constants
# TIMING-DAG: 17 {{ *}}lift-params.bytes
# TIMING-DAG: 13 {{ *}}lift-params.parameters

# NONE-NOT: allocate_const

@I.ir_module
class Module:
    # Unused constants stay.
    # CHECK: I.module_attrs({"tenon.constants": [I.constant("unused", [9], "int8", [1])]})
    # BOUND: I.module_attrs({"tenon.constants": [I.constant("unused", [9], "int8", [1]), I.constant("w", [1, 2, 3, 4], "int8", [4], align=64, section=".rodata.w", pools=["flash"], address_significant=True), I.constant("c", [5, 6], "int8", [2]), I.constant("in/loop", [7], "int8", [1], load="sram", codec="lz4"), I.constant("own", [1, 1, 1, 1], "int8", [4]), I.constant("d", [8, 9], "int8", [2])]})
    I.module_attrs({"tenon.constants": [
        I.constant("unused", [9], "int8", [1]),
        I.constant("w", [1, 2, 3, 4], "int8", [4], align=64, section=".rodata.w", pools=["flash"], address_significant=True),
        I.constant("c", [5, 6], "int8", [2]),
        I.constant("in/loop", [7], "int8", [1], load="sram", codec="lz4")]})

    # The entry does not reach this function: the file contains its values under its name.
    # CHECK: def apart(y: T.Buffer((4,), "int8"), own: T.Buffer((4,), "int8")):
    # BOUND: def apart(y: T.Buffer((4,), "int8")):
    # BOUND-NEXT: T.allocate_const(I.constant("own"), "int8", [4])
    @T.prim_func
    def apart(y: T.Buffer((4,), "int8")):
        own = T.allocate_const([1, 1, 1, 1], "int8", [4])
        own_1 = T.Buffer((4,), "int8", data=own)
        for i in range(4):
            y[i] = own_1[i]

    # A duplicate constant is one parameter, and so is one that a callee also has.
    # CHECK: def between(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8"), w: T.Buffer((4,), "int8"), [[D:d_.*]]: T.Buffer((2,), "int8"), c: T.Buffer((2,), "int8"), in_loop: T.Buffer((1,), "int8")):
    # CHECK: {"c": {"use": "call"}, "[[D]]": {"use": "let"}, "in_loop": {"use": "call"}, "w": {"use": "let"}}
    # CHECK: first: T.handle("int8") = w.data
    # CHECK: again: T.handle("int8") = w.data
    # CHECK: T.call_cpacked("layer", x.data, y.data, w.data, c.data, in_loop.data, T.reinterpret("handle", T.uint64(0)))
    # CHECK: Module.layer(x.data, y.data, w.data, c.data, in_loop.data, T.reinterpret("handle", T.uint64(0)))
    # BOUND: def between
    # BOUND: first = T.allocate_const(I.constant("w"), "int8", [4])
    # BOUND: again = T.allocate_const(I.constant("w"), "int8", [4])
    # BOUND: T.call_cpacked("layer", x.data, y.data, T.reinterpret("handle", T.uint64(0)))
    # BOUND: Module.layer(x.data, y.data, T.reinterpret("handle", T.uint64(0)))
    @T.prim_func
    def between(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8")):
        first = T.allocate_const(I.constant("w"), "int8", [4])
        again = T.allocate_const(I.constant("w"), "int8", [4])
        d = T.allocate_const([8, 9], "int8", [2])
        T.call_cpacked("layer", x.data, y.data, T.reinterpret("handle", T.uint64(0)))
        Module.layer(x.data, y.data, T.reinterpret("handle", T.uint64(0)))
        for i in range(4):
            first_1 = T.Buffer((4,), "int8", data=first)
            again_1 = T.Buffer((4,), "int8", data=again)
            d_1 = T.Buffer((2,), "int8", data=d)
            y[i] = y[i] + first_1[i] + again_1[i] + d_1[i // 2]

    # Outermost constants are plain parameters, before a resource handle; others are bound in their
    # places. Extents that differ from the data's, and annotations, are kept.
    # CHECK: def layer(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8"), w: T.Buffer((4,), "int8"), [[C:c_.*]]: T.Buffer((2,), "int8"), in_loop: T.Buffer((1,), "int8"), handle: T.handle):
    # CHECK-NEXT: T.func_attr({"tenon.lifted_params": {"[[C]]": {"annotations": {"note": 3}, "extents": [T.int64(2)], "use": "let"}, "in_loop": {"use": "let"}, "w": {"use": "body"}}})
    # CHECK-NEXT: c: T.handle("int8") = [[C]].data
    # CHECK: for i in range(4):
    # CHECK-NEXT: [[K:k.*]]: T.handle("int8") = in_loop.data
    # CHECK: T.Buffer((4,), "int8", data=w.data)
    # CHECK: T.Buffer((1,), "int8", data=[[K]])
    # BOUND: def layer(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8"), handle: T.handle):
    # BOUND-NEXT: w = T.allocate_const(I.constant("w"), "int8", [4])
    # BOUND-NEXT: c = T.allocate_const(I.constant("c"), "int8", [T.int64(2)], annotations={"note": 3})
    # BOUND: for i in range(4):
    # BOUND-NEXT: T.allocate_const(I.constant("in/loop"), "int8", [1])
    @T.prim_func
    def layer(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8"), handle: T.handle):
        w = T.allocate_const(I.constant("w"), "int8", [4])
        c = T.allocate_const(I.constant("c"), "int8", [T.int64(2)], annotations={"note": 3})
        w_1 = T.Buffer((4,), "int8", data=w)
        c_1 = T.Buffer((2,), "int8", data=c)
        for i in range(4):
            k = T.allocate_const(I.constant("in/loop"), "int8", [1])
            k_1 = T.Buffer((1,), "int8", data=k)
            y[i] = x[i] + w_1[i] + c_1[i // 2] + k_1[0]

    # A constant that the entry itself passes stays there.
    # CHECK: def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8"), own: T.Buffer((4,), "int8"), w: T.Buffer((4,), "int8"), d: T.Buffer((2,), "int8"), c: T.Buffer((2,), "int8"), in_loop: T.Buffer((1,), "int8")):
    # CHECK: "in_loop": {"codec": "lz4", "constant": "in/loop", "index": 3, "load": "sram", "use": "call"}
    # CHECK: "w": {"address_significant": T.bool(True), "align": 64, "constant": "w", "index": 1, "pools": ["flash"], "section": ".rodata.w", "use": "call"}
    # CHECK: T.call_extern("int32", "between", own.data, y.data, w.data, d.data, c.data, in_loop.data)
    # BOUND: def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8")):
    # BOUND-NEXT: own = T.allocate_const(I.constant("own"), "int8", [4])
    # BOUND-NEXT: T.call_extern("int32", "between", own, y.data)
    @T.prim_func
    def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8")):
        own = T.allocate_const([1, 1, 1, 1], "int8", [4])
        T.call_extern("int32", "between", own, y.data)
