# Conditions around an update become choices in it. A sum that is read twice is one reduction.
# RUN: tenon-opt --pipeline=recognise-ops --verify-roundtrip %s | FileCheck %s
# RUN: tenon-opt --pipeline='recognise-ops{kinds-only=true}' --verify-roundtrip %s | FileCheck --check-prefix=KINDS %s
# RUN: rm -rf %t && mkdir %t
# RUN: %python %S/Inputs/matrix.py %t/x.npy 6 6
# RUN: tenon run %s --input %t/x.npy --output %t/y0.npy --output %t/y1.npy --output %t/y2.npy --output %t/y3.npy
# RUN: tenon run %s --input %t/x.npy --expect %t/y0.npy --expect %t/y1.npy --expect %t/y2.npy --expect %t/y3.npy --targets=reference --engine=c --externals=both 2>&1 | FileCheck --check-prefix=COMPARED %s
# COMPARED: operators

from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    # CHECK-LABEL: def conv(
    # CHECK-NEXT: "tenon.op": {"kind": "conv2d"{{.*}}"pad_after": [1, 1], "pad_before": [1, 1]
    # KINDS-LABEL: def conv(
    # KINDS-NEXT: T.func_attr({"tenon.op": {"kind": "conv2d"}, "tir.noalias": T.bool(True)})
    @T.prim_func
    def conv(x: T.Buffer((6, 6), "float32"), y: T.Buffer((6, 6), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, 8, 9], "float32", [3, 3])
        w_1 = T.Buffer((3, 3), data=w)
        for i, j in T.grid(6, 6):
            y[i, j] = T.float32(0)
            for ki in range(3):
                if 1 <= i + ki and i + ki < 7:
                    for kj in range(3):
                        if 1 <= j + kj and j + kj < 7:
                            y[i, j] = y[i, j] + x[i + ki - 1, j + kj - 1] * w_1[ki, kj]

    # CHECK-LABEL: def pool(
    # CHECK-NEXT: "tenon.op": {"kind": "max_pool"{{.*}}"pad_after": [1, 1], "pad_before": [1, 1]
    # KINDS-LABEL: def pool(
    # KINDS-NEXT: {"kind": "max_pool"}
    @T.prim_func
    def pool(x: T.Buffer((6, 6), "float32"), y: T.Buffer((6, 6), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j in T.grid(6, 6):
            y[i, j] = T.float32(-100)
            for ki, kj in T.grid(3, 3):
                if 1 <= i + ki and i + ki < 7 and 1 <= j + kj and j + kj < 7:
                    y[i, j] = T.max(y[i, j], x[i + ki - 1, j + kj - 1])

    # CHECK-LABEL: def read_twice(
    # CHECK-NEXT: "tenon.op": {"kind": "matmul"{{.*}}"macs": 216
    # KINDS-LABEL: def read_twice(
    # KINDS-NEXT: {"kind": "matmul"}
    @T.prim_func
    def read_twice(x: T.Buffer((6, 6), "float32"), y: T.Buffer((6, 6), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, -2, 3, -4, 5, -6, 7, -8, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0], "float32", [6, 6])
        w_1 = T.Buffer((6, 6), data=w)
        sum = T.allocate([1], "float32", "global")
        sum_1 = T.Buffer((1,), data=sum)
        for i, j in T.grid(6, 6):
            sum_1[0] = T.float32(0)
            for k in range(6):
                sum_1[0] = sum_1[0] + x[i, k] * w_1[k, j]
            y[i, j] = T.Select(T.float32(0) < sum_1[0], sum_1[0] * T.float32(2), sum_1[0])

    # The maximum begins with two numbers: no one number changes nothing.
    # CHECK-LABEL: def two_starts(
    # CHECK-NEXT: "tenon.op": {"kind": "unknown"
    # KINDS-LABEL: def two_starts(
    # KINDS-NEXT: {"kind": "unknown", "because":
    @T.prim_func
    def two_starts(x: T.Buffer((6, 6), "float32"), y: T.Buffer((6, 6), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j in T.grid(6, 6):
            y[i, j] = T.float32(-100)
            if i == 0:
                y[i, j] = T.float32(100)
            for ki in range(3):
                if 1 <= i + ki and i + ki < 7:
                    y[i, j] = T.max(y[i, j], x[i + ki - 1, j])

    @T.prim_func
    def main(x: T.Buffer((6, 6), "float32"), y0: T.Buffer((6, 6), "float32"), y1: T.Buffer((6, 6), "float32"), y2: T.Buffer((6, 6), "float32"), y3: T.Buffer((6, 6), "float32")):
        T.call_extern("int32", "conv", x.data, y0.data)
        T.call_extern("int32", "pool", x.data, y1.data)
        T.call_extern("int32", "two_starts", x.data, y2.data)
        T.call_extern("int32", "read_twice", x.data, y3.data)
