# Constants of external functions, as changed by their code generators.
# RUN: tenon-opt %s --pipeline=update-constants --verify-roundtrip --timing 2>&1 | FileCheck %s
# The functions read the changed constants: outputs equal those of the module without either
# change.
# RUN: rm -rf %t && mkdir %t
# RUN: tenon-opt %s --pipeline=update-constants -o %t/updated.py
# RUN: tenon-opt %s --pipeline=update-constants,lower-linked-params,extract-constants,'hoist-constants{attr=Compiler}' -o %t/hoisted.py
# RUN: %python %S/../tools/Inputs/npy.py %t/x.npy i1 4 1 -2 3 5
# RUN: %python %S/../tools/Inputs/npy.py %t/y.npy i4 6 60 -11 -8 8 -14 0
# RUN: tenon run %S/Inputs/update_constants_plain.py --input %t/x.npy --expect %t/y.npy
# RUN: tenon run %t/updated.py --input %t/x.npy --expect %t/y.npy
# RUN: tenon run %t/updated.py --engine=c --cc=%cc --input %t/x.npy --expect %t/y.npy
# RUN: tenon run %t/hoisted.py --input %t/x.npy --expect %t/y.npy
# RUN: tenon run %t/hoisted.py --engine=c --cc=%cc --input %t/x.npy --expect %t/y.npy
# RUN: not tenon run %s --input %t/x.npy --expect %t/y.npy 2>&1 | FileCheck %s --check-prefix=BEFORE
# BEFORE: error: no `link_params` has the parameter `tvmgen_packed_v_int4`

# CHECK-DAG: 3 {{ *}}update-constants.functions
# CHECK-DAG: 2 {{ *}}update-constants.replaced
# CHECK-DAG: 1 {{ *}}update-constants.added
# CHECK-DAG: 1 {{ *}}update-constants.dropped
# CHECK-DAG: 21 {{ *}}update-constants.bytes_before
# CHECK-DAG: 19 {{ *}}update-constants.bytes_after

# Constants that another function still uses stay; unused constants are removed.
# CHECK: I.module_attrs({"tenon.constants": [
# CHECK-SAME: I.constant("shared", [7, 0, 0, 0, 0, 0, 0, 0], "int8", [4, 2], align=32)
# CHECK-SAME: I.constant("named_const_0", [1, 2], "int32", [2], section=".npu")
# CHECK-SAME: I.constant("tvmgen_packed_v_int4", [57, -60, 7], "int8", [3], align=32)
# CHECK-SAME: I.constant("transposed_w_transposed", [1, 3, 5, 7, 2, -4, 6, -8], "int8", [2, 4])

from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("gone", [1, 2], "int32", [2], section=".npu"), I.constant("shared", [7, 0, 0, 0, 0, 0, 0, 0], "int8", [4, 2], align=32), I.constant("v", [-7, 3, 4, -4, 7], "int8", [5], align=32)]})

    # CHECK-LABEL: def named(
    # CHECK: gone = T.allocate_const(I.constant("named_const_0"), "int32", [2])
    @T.prim_func(private=True)
    def named(y: T.Buffer((6,), "int32")):
        T.func_attr({"Compiler": "name"})
        gone = T.allocate_const(I.constant("gone"), "int32", [2])
        gone_1 = T.Buffer((2,), "int32", data=gone)
        y[0] = y[0] + gone_1[0]

    # Functions without an updater keep their constants.
    # CHECK-LABEL: def other(
    # CHECK: T.allocate_const(I.constant("shared"), "int8", [4, 2])
    # CHECK: T.allocate_const([1, 1], "int32", [1, 2])
    @T.prim_func(private=True)
    def other(y: T.Buffer((6,), "int32")):
        T.func_attr({"Compiler": "another"})
        s = T.allocate_const(I.constant("shared"), "int8", [4, 2])
        s_1 = T.Buffer((4, 2), "int8", data=s)
        o = T.allocate_const([1, 1], "int32", [1, 2])
        o_1 = T.Buffer((1, 2), "int32", data=o)
        y[1] = y[1] + T.Cast("int32", s_1[0, 0]) * o_1[0, 1]

    # Found by name; the unpacked one is no longer there.
    # CHECK-LABEL: def packed(
    # CHECK-NOT: allocate_const
    # CHECK: T.lookup_param("tvmgen_packed_v_int4")
    # CHECK-LABEL: def transposed(
    @T.prim_func
    def packed(x: T.Buffer((4,), "int8"), y: T.Buffer((6,), "int32")):
        T.func_attr({"Compiler": "pack-int4", "global_symbol": "tvmgen_packed"})
        v = T.allocate_const(I.constant("v"), "int8", [5])
        p: T.handle("int8") = T.lookup_param("tvmgen_packed_v_int4")
        p_1 = T.Buffer((3,), "int8", data=p)
        for i in range(5):
            y[i] = y[i] + T.Cast("int32", x[1]) * T.shift_right(T.shift_left(T.Cast("int32", p_1[i // 2]), 28 - i % 2 * 4), 28)

    # Transposed in place: the function always reads it as (2, 4).
    # CHECK: w = T.allocate_const(I.constant("transposed_w_transposed"), "int8", [2, 4])
    @T.prim_func(private=True)
    def transposed(x: T.Buffer((4,), "int8"), y: T.Buffer((6,), "int32")):
        T.func_attr({"Compiler": "transpose"})
        w = T.allocate_const([1, 2, 3, -4, 5, 6, 7, -8], "int8", [4, 2])
        w_1 = T.Buffer((2, 4), "int8", data=w)
        for i, j in T.grid(2, 4):
            y[i] = y[i] + T.Cast("int32", w_1[i, j]) * T.Cast("int32", x[j])

    @T.prim_func
    def main(x: T.Buffer((4,), "int8"), y: T.Buffer((6,), "int32")):
        for i in range(6):
            y[i] = 0
        Module.named(y.data)
        Module.other(y.data)
        T.call_extern("int32", "tvmgen_packed", x.data, y.data)
        Module.transposed(x.data, y.data)
