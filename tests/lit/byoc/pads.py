# Padding before a convolution (TVM: test_fuse_pads): a stage of zeros becomes part of the claim, with the
# counts of both sides. Other padding stays a separate computation, and so does an operator that pads.
# RUN: tenon-opt %s --pipeline='recognise-ops' --verify-roundtrip | FileCheck %s
# RUN: tenon-opt %s --pipeline='recognise-ops,annotate-targets{targets=body:a only=pad_alone},annotate-targets{targets=body:b only=plain},merge-regions' | FileCheck --check-prefix=TWO %s
# RUN: tenon-opt %s --pipeline='recognise-ops,annotate-targets{targets=body:a only=pad_alone,plain},merge-regions' | FileCheck --check-prefix=ONE %s
# RUN: rm -rf %t && mkdir %t
# RUN: %python %S/Inputs/matrix.py %t/x.npy 6 6
# RUN: tenon run %s --input %t/x.npy --output %t/y0.npy --output %t/y1.npy --output %t/y2.npy --output %t/y3.npy --output %t/y4.npy
# RUN: tenon run %s --input %t/x.npy --expect %t/y0.npy --expect %t/y1.npy --expect %t/y2.npy --expect %t/y3.npy --expect %t/y4.npy --targets=reference --engine=c --externals=both 2>&1 | FileCheck --check-prefix=COMPARED %s
# COMPARED: 6 of 6 operators

from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    # Two columns and rows after the input, none before it.
    # CHECK-LABEL: def after_alone(
    # CHECK-NEXT: "tenon.op": {"kind": "conv2d"{{.*}}"input": [6, 6]{{.*}}"pad_after": [2, 2], "pad_before": [0, 0]
    @T.prim_func
    def after_alone(x: T.Buffer((6, 6), "float32"), y: T.Buffer((6, 6), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, 8, 9], "float32", [3, 3])
        w_1 = T.Buffer((3, 3), data=w)
        p = T.allocate([64], "float32", "global.workspace")
        p_1 = T.Buffer((8, 8), data=p)
        for i, j in T.grid(8, 8):
            p_1[i, j] = T.if_then_else(i < 6 and j < 6, x[i, j], T.float32(0))
        for i, j in T.grid(6, 6):
            y[i, j] = T.float32(0)
            for ki, kj in T.grid(3, 3):
                y[i, j] = y[i, j] + p_1[i + ki, j + kj] * w_1[ki, kj]

    # A stage that pads (0, 2), and one that pads (1, 1): together (1, 3).
    # CHECK-LABEL: def after_both(
    # CHECK-NEXT: "tenon.op": {"kind": "conv2d"{{.*}}"input": [6, 6]{{.*}}"pad_after": [3, 3], "pad_before": [1, 1]
    @T.prim_func
    def after_both(x: T.Buffer((6, 6), "float32"), y: T.Buffer((8, 8), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, 8, 9], "float32", [3, 3])
        w_1 = T.Buffer((3, 3), data=w)
        p = T.allocate([64], "float32", "global.workspace")
        p_1 = T.Buffer((8, 8), data=p)
        q = T.allocate([100], "float32", "global.workspace")
        q_1 = T.Buffer((10, 10), data=q)
        for i, j in T.grid(8, 8):
            p_1[i, j] = T.if_then_else(i < 6 and j < 6, x[i, j], T.float32(0))
        for i, j in T.grid(10, 10):
            q_1[i, j] = T.if_then_else(1 <= i and i < 9 and 1 <= j and j < 9, p_1[i - 1, j - 1], T.float32(0))
        for i, j in T.grid(8, 8):
            y[i, j] = T.float32(0)
            for ki, kj in T.grid(3, 3):
                y[i, j] = y[i, j] + q_1[i + ki, j + kj] * w_1[ki, kj]

    # A value other than 0 is not padding of a convolution.
    # CHECK-LABEL: def ones(
    # CHECK-NEXT: "tenon.op": {"kind": "conv2d"{{.*}}"pad_after": [0, 0], "pad_before": [0, 0]
    @T.prim_func
    def ones(x: T.Buffer((6, 6), "float32"), y: T.Buffer((6, 6), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, 8, 9], "float32", [3, 3])
        w_1 = T.Buffer((3, 3), data=w)
        p = T.allocate([64], "float32", "global.workspace")
        p_1 = T.Buffer((8, 8), data=p)
        for i, j in T.grid(8, 8):
            p_1[i, j] = T.if_then_else(1 <= i and i < 7 and 1 <= j and j < 7, x[i - 1, j - 1], T.float32(1))
        for i, j in T.grid(6, 6):
            y[i, j] = T.float32(0)
            for ki, kj in T.grid(3, 3):
                y[i, j] = y[i, j] + p_1[i + ki, j + kj] * w_1[ki, kj]

    # CHECK-LABEL: def pad_alone(
    # CHECK-NEXT: "tenon.op": {"kind": "layout"
    @T.prim_func
    def pad_alone(x: T.Buffer((6, 6), "float32"), y: T.Buffer((8, 8), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j in T.grid(8, 8):
            y[i, j] = T.if_then_else(1 <= i and i < 7 and 1 <= j and j < 7, x[i - 1, j - 1], T.float32(0))

    # CHECK-LABEL: def plain(
    # CHECK-NEXT: "tenon.op": {"kind": "conv2d"{{.*}}"input": [8, 8]{{.*}}"pad_after": [0, 0], "pad_before": [0, 0]
    @T.prim_func
    def plain(x: T.Buffer((8, 8), "float32"), y: T.Buffer((6, 6), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, 8, 9], "float32", [3, 3])
        w_1 = T.Buffer((3, 3), data=w)
        for i, j in T.grid(6, 6):
            y[i, j] = T.float32(0)
            for ki, kj in T.grid(3, 3):
                y[i, j] = y[i, j] + x[i + ki, j + kj] * w_1[ki, kj]

    # Padding for another target stays a separate call.
    # TWO-LABEL: def main(
    # TWO: with T.attr(0, "tenon.region", "body:a"):
    # TWO-NEXT: T.call_extern("int32", "pad_alone", x.data, a)
    # TWO-NEXT: T.call_extern("int32", "pad_alone", x.data, z4.data)
    # TWO-NEXT: T.attr(0, "tenon.region", "body:b")
    # TWO-NEXT: T.call_extern("int32", "plain", a, z3.data)
    # ONE-LABEL: def main(
    # ONE: T.attr(0, "tenon.region", "body:a")
    # ONE-NEXT: T.call_extern("int32", "pad_alone", x.data, a)
    # ONE-NEXT: T.call_extern("int32", "plain", a, z3.data)
    @T.prim_func
    def main(x: T.Buffer((6, 6), "float32"), z0: T.Buffer((6, 6), "float32"), z1: T.Buffer((8, 8), "float32"), z2: T.Buffer((6, 6), "float32"), z3: T.Buffer((6, 6), "float32"), z4: T.Buffer((8, 8), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        a = T.allocate([64], "float32", "global")
        T.call_extern("int32", "after_alone", x.data, z0.data)
        T.call_extern("int32", "after_both", x.data, z1.data)
        T.call_extern("int32", "ones", x.data, z2.data)
        T.call_extern("int32", "pad_alone", x.data, a)
        T.call_extern("int32", "plain", a, z3.data)
        T.call_extern("int32", "pad_alone", x.data, z4.data)
