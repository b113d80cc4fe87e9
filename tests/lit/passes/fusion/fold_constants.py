# Operators that only take constants are computed at compile time.
# RUN: tenon-opt %s --pipeline='fold-constants' --timing -o %t.py 2>&1 | FileCheck --check-prefix=COUNT %s
# RUN: FileCheck %s < %t.py
# RUN: tenon-opt %t.py --pipeline='fold-constants' --compare %t.py | FileCheck --check-prefix=AGAIN %s
# RUN: tenon-opt %s --pipeline='fold-constants{max-bytes=8}' --compare %s | FileCheck --check-prefix=AGAIN %s
# RUN: tenon-opt %s --pipeline='fold-constants{max-operations=2}' --compare %s 2>%t.note | FileCheck --check-prefix=AGAIN %s
# RUN: FileCheck --check-prefix=NOTE %s < %t.note
# NOTE: fold_constants.py:[[#]]:[[#]]: note: constant folding stops at 2 operations, so every run computes `total` of `folded` ([[ALL:[0-9]+]] operations) from constants; --fold-limit=[[ALL]] of `tenon`, or max-operations=[[ALL]] of fold-constants, folds all
# RUN: not tenon-opt %s --pipeline='fold-constants{max-growth=-1}' 2>&1 | FileCheck --check-prefix=NEGATIVE %s
# AGAIN: equal
# COUNT: 3 {{ *}}fold-constants.statements
# COUNT: 16 {{ *}}fold-constants.bytes
# NEGATIVE: an option is negative, expected 0 or more

from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    # Operators that take an input stay, and so do buffers that are overwritten later.
    # CHECK-LABEL: def depends(
    # CHECK: allocate(
    # CHECK: allocate(
    @T.prim_func
    def depends(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        w = T.allocate_const([10, 20, 30, 40], "int32", [4])
        w_1 = T.Buffer((4,), "int32", data=w)
        a = T.allocate([4], "int32", "global")
        a_1 = T.Buffer((4,), "int32", data=a)
        b = T.allocate([4], "int32", "global")
        b_1 = T.Buffer((4,), "int32", data=b)
        for i in range(4):
            a_1[i] = w_1[i] + x[0]
        for i in range(4):
            b_1[i] = w_1[i] * 2
        for i in range(4):
            y[i] = a_1[i] + b_1[i]
        for i in range(4):
            b_1[i] = 0

    # A sum of weights in another order: three statements, one result.
    # CHECK-LABEL: def folded(
    # CHECK-NEXT: total = T.allocate_const([23, 33, 13, 43], "int32", [4])
    # CHECK-NEXT: for i in range(4):
    # CHECK-NEXT: total_1 = T.Buffer(
    # CHECK-NEXT: y[i] = x[i] * total_1[i]
    @T.prim_func
    def folded(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        w = T.allocate_const([10, 20, 30, 40], "int32", [4])
        order = T.allocate_const([1, 2, 0, 3], "int32", [4])
        w_1 = T.Buffer((4,), "int32", data=w)
        order_1 = T.Buffer((4,), "int32", data=order)
        copy = T.allocate([4], "int32", "global")
        copy_1 = T.Buffer((4,), "int32", data=copy)
        total = T.allocate([4], "int32", "global")
        total_1 = T.Buffer((4,), "int32", data=total)
        for i in range(4):
            copy_1[i] = w_1[order_1[i]]
        for i in range(4):
            total_1[i] = 3
        for i in range(4):
            total_1[i] = total_1[i] + copy_1[i]
        for i in range(4):
            y[i] = x[i] * total_1[i]

    # 4 bytes become 4,000: too many, even if the constant is removed.
    # CHECK-LABEL: def grows(
    # CHECK: T.allocate([1000]
    @T.prim_func
    def grows(x: T.Buffer((1000,), "int32"), y: T.Buffer((1000,), "int32")):
        w = T.allocate_const([10], "int32", [1])
        w_1 = T.Buffer((1,), "int32", data=w)
        a = T.allocate([1000], "int32", "global")
        a_1 = T.Buffer((1000,), "int32", data=a)
        for i in range(1000):
            a_1[i] = w_1[0] + i
        for i in range(1000):
            y[i] = a_1[i] + x[i]

    # Mathematics is left to the target, since its last bits may differ.
    # CHECK-LABEL: def mathematics(
    # CHECK: T.exp(
    @T.prim_func
    def mathematics(x: T.Buffer((2,), "float32"), y: T.Buffer((2,), "float32")):
        w = T.allocate_const([1.0, 2.0], "float32", [2])
        w_1 = T.Buffer((2,), "float32", data=w)
        a = T.allocate([2], "float32", "global")
        a_1 = T.Buffer((2,), "float32", data=a)
        for i in range(2):
            a_1[i] = T.exp(w_1[i])
        for i in range(2):
            y[i] = a_1[i] + x[i]
