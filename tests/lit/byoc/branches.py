# An operator computes the condition of a branch; other operators are in its arms (TVM:
# test_if_else). Each is annotated and goes to a separate region; the branch never does.
# RUN: rm -rf %t && mkdir %t
# RUN: tenon-opt %s --pipeline='recognise-ops,annotate-targets{targets=body}' -o %t/annotated.py
# RUN: FileCheck --check-prefix=MARKED %s < %t/annotated.py
# RUN: tenon-opt %t/annotated.py --pipeline='merge-regions' | FileCheck --check-prefix=REGIONS %s
# RUN: tenon-opt %t/annotated.py --pipeline='merge-regions,partition' --verify-roundtrip | FileCheck --check-prefix=PARTS %s
# RUN: %python %S/Inputs/matrix.py %t/x.npy 4 4
# RUN: tenon run %s --input %t/x.npy --input %t/x.npy --output %t/y.npy
# RUN: tenon run %s --input %t/x.npy --input %t/x.npy --expect %t/y.npy --targets=reference --engine=c --externals=both 2>&1 | FileCheck --check-prefix=COMPARED %s
# COMPARED: 4 of 4 operators

from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    # MARKED-LABEL: def equal(
    # MARKED-NEXT: "tenon.targets": ["body"]
    @T.prim_func
    def equal(x: T.Buffer((4, 4), "float32"), z: T.Buffer((4, 4), "float32"), y: T.Buffer((1,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        y[0] = T.Cast("int32", x[0, 0] == z[0, 0])

    # MARKED-LABEL: def erf(
    # MARKED-NEXT: "tenon.targets": ["body"]
    @T.prim_func
    def erf(x: T.Buffer((4, 4), "float32"), y: T.Buffer((4, 4), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j in T.grid(4, 4):
            y[i, j] = T.erf(x[i, j])

    # MARKED-LABEL: def sigmoid(
    # MARKED-NEXT: "tenon.targets": ["body"]
    @T.prim_func
    def sigmoid(x: T.Buffer((4, 4), "float32"), y: T.Buffer((4, 4), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j in T.grid(4, 4):
            y[i, j] = T.sigmoid(x[i, j])

    # MARKED-LABEL: def tanh(
    # MARKED-NEXT: "tenon.targets": ["body"]
    @T.prim_func
    def tanh(x: T.Buffer((4, 4), "float32"), y: T.Buffer((4, 4), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j in T.grid(4, 4):
            y[i, j] = T.tanh(x[i, j])

    # MARKED-LABEL: def main(
    # MARKED-NEXT: T.func_attr({"tir.noalias": T.bool(True)})
    # REGIONS-LABEL: def main(
    # REGIONS: T.attr(0, "tenon.region", "body")
    # REGIONS-NEXT: T.call_extern("int32", "equal", x.data, z.data, c)
    # REGIONS-NEXT: c_1 = T.Buffer(
    # REGIONS-NEXT: if c_1[0] != 0:
    # REGIONS-NEXT: T.attr(0, "tenon.region", "body")
    # REGIONS-NEXT: T.call_extern("int32", "tanh", x.data, a)
    # REGIONS-NEXT: else:
    # REGIONS-NEXT: T.attr(0, "tenon.region", "body")
    # REGIONS-NEXT: T.call_extern("int32", "sigmoid", x.data, a)
    # REGIONS-NEXT: T.attr(0, "tenon.region", "body")
    # REGIONS-NEXT: T.call_extern("int32", "erf", a, y.data)
    # PARTS-LABEL: def main(
    # PARTS: T.call_extern("int32", "tvmgen_default_body_main_{{[0-3]}}", x.data, z.data, c)
    # PARTS-NEXT: c_1 = T.Buffer(
    # PARTS-NEXT: if c_1[0] != 0:
    # PARTS-NEXT: T.call_extern("int32", "tvmgen_default_body_main_{{[0-3]}}", x.data, a)
    # PARTS-NEXT: else:
    # PARTS-NEXT: T.call_extern("int32", "tvmgen_default_body_main_{{[0-3]}}", x.data, a)
    # PARTS-NEXT: T.call_extern("int32", "tvmgen_default_body_main_{{[0-3]}}", a, y.data)
    @T.prim_func
    def main(x: T.Buffer((4, 4), "float32"), z: T.Buffer((4, 4), "float32"), y: T.Buffer((4, 4), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        c = T.allocate([1], "int32", "global")
        a = T.allocate([16], "float32", "global")
        c_1 = T.Buffer((1,), "int32", data=c)
        T.call_extern("int32", "equal", x.data, z.data, c)
        if c_1[0] != 0:
            T.call_extern("int32", "tanh", x.data, a)
        else:
            T.call_extern("int32", "sigmoid", x.data, a)
        T.call_extern("int32", "erf", a, y.data)
