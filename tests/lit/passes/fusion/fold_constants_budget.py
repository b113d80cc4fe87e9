# The largest saving comes first, and the rest stays with a note. The limit counts operations, so it
# gives the same result everywhere.
# RUN: tenon-opt %s --pipeline='fold-constants{max-operations=6000}' --timing -o %t.py 2>%t.note
# RUN: FileCheck %s < %t.py
# RUN: FileCheck --check-prefix=NOTE %s < %t.note
# RUN: tenon compile %s --emit=c -o %t.c --fold-limit=6000 2>&1 | FileCheck --check-prefix=NOTE %s
# RUN: tenon compile %s --emit=c -o %t.c --fold-limit=6000 -q 2>&1 | FileCheck --check-prefix=QUIET --allow-empty %s
# RUN: tenon compile %s --emit=c -o %t.c 2>&1 | FileCheck --check-prefix=QUIET %s
# NOTE: note: constant folding stops at 6000 operations, so every run computes `small` of `main` ([[#]] operations) from constants; --fold-limit=[[LIMIT:[0-9]+]] of `tenon`, or max-operations=[[LIMIT]] of fold-constants, folds all
# QUIET-NOT: constant folding

from tvm.script import tir as T


# CHECK: small = T.allocate([4]
# CHECK: large = T.allocate_const([4950, 5050, 5150, 5250]
@T.prim_func
def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
    w = T.allocate_const([0, 1, 2, 3], "int32", [4])
    w_1 = T.Buffer((4,), "int32", data=w)
    small = T.allocate([4], "int32", "global")
    small_1 = T.Buffer((4,), "int32", data=small)
    large = T.allocate([4], "int32", "global")
    large_1 = T.Buffer((4,), "int32", data=large)
    for i in range(4):
        small_1[i] = 0
        for k in range(90):
            small_1[i] = small_1[i] + (w_1[i] ^ k)
    for i in range(4):
        large_1[i] = 0
        for k in range(100):
            large_1[i] = large_1[i] + w_1[i] + k
    for i in range(4):
        y[i] = x[i] + small_1[i] * large_1[i]
