# Constants have no lifetimes: the error only has sizes. There are many: it names five. Long lists of notes end with their number.
# RUN: not tenon-opt %s '--pipeline=assign-pool-info{workspace-pools=ws constant-pools=flash:64},plan-memory' 2>&1 | FileCheck %s
# CHECK: error: does not fit: pool `flash` has 64 bytes, but needs at least 292 (228 more) for the constants: `c0` (4 bytes), `c1` (4 bytes), `c2` (4 bytes), `c3` (4 bytes), `c4` (4 bytes) and 14 more; it fits with
# CHECK-NOT: time
# CHECK-COUNT-16: note: `c{{[0-9]+}}` has 4 bytes, in `main`
# CHECK: note: and 3 more
# CHECK-NOT: note:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(y: T.Buffer((4,), "int8")):
        c0 = T.allocate_const([0, 1, 2, 3], "int8", [4])
        c0_1 = T.Buffer((4,), "int8", data=c0)
        y[0] = y[0] + c0_1[1]
        c1 = T.allocate_const([1, 1, 2, 3], "int8", [4])
        c1_1 = T.Buffer((4,), "int8", data=c1)
        y[0] = y[0] + c1_1[1]
        c2 = T.allocate_const([2, 1, 2, 3], "int8", [4])
        c2_1 = T.Buffer((4,), "int8", data=c2)
        y[0] = y[0] + c2_1[1]
        c3 = T.allocate_const([3, 1, 2, 3], "int8", [4])
        c3_1 = T.Buffer((4,), "int8", data=c3)
        y[0] = y[0] + c3_1[1]
        c4 = T.allocate_const([4, 1, 2, 3], "int8", [4])
        c4_1 = T.Buffer((4,), "int8", data=c4)
        y[0] = y[0] + c4_1[1]
        c5 = T.allocate_const([5, 1, 2, 3], "int8", [4])
        c5_1 = T.Buffer((4,), "int8", data=c5)
        y[0] = y[0] + c5_1[1]
        c6 = T.allocate_const([6, 1, 2, 3], "int8", [4])
        c6_1 = T.Buffer((4,), "int8", data=c6)
        y[0] = y[0] + c6_1[1]
        c7 = T.allocate_const([7, 1, 2, 3], "int8", [4])
        c7_1 = T.Buffer((4,), "int8", data=c7)
        y[0] = y[0] + c7_1[1]
        c8 = T.allocate_const([8, 1, 2, 3], "int8", [4])
        c8_1 = T.Buffer((4,), "int8", data=c8)
        y[0] = y[0] + c8_1[1]
        c9 = T.allocate_const([9, 1, 2, 3], "int8", [4])
        c9_1 = T.Buffer((4,), "int8", data=c9)
        y[0] = y[0] + c9_1[1]
        c10 = T.allocate_const([10, 1, 2, 3], "int8", [4])
        c10_1 = T.Buffer((4,), "int8", data=c10)
        y[0] = y[0] + c10_1[1]
        c11 = T.allocate_const([11, 1, 2, 3], "int8", [4])
        c11_1 = T.Buffer((4,), "int8", data=c11)
        y[0] = y[0] + c11_1[1]
        c12 = T.allocate_const([12, 1, 2, 3], "int8", [4])
        c12_1 = T.Buffer((4,), "int8", data=c12)
        y[0] = y[0] + c12_1[1]
        c13 = T.allocate_const([13, 1, 2, 3], "int8", [4])
        c13_1 = T.Buffer((4,), "int8", data=c13)
        y[0] = y[0] + c13_1[1]
        c14 = T.allocate_const([14, 1, 2, 3], "int8", [4])
        c14_1 = T.Buffer((4,), "int8", data=c14)
        y[0] = y[0] + c14_1[1]
        c15 = T.allocate_const([15, 1, 2, 3], "int8", [4])
        c15_1 = T.Buffer((4,), "int8", data=c15)
        y[0] = y[0] + c15_1[1]
        c16 = T.allocate_const([16, 1, 2, 3], "int8", [4])
        c16_1 = T.Buffer((4,), "int8", data=c16)
        y[0] = y[0] + c16_1[1]
        c17 = T.allocate_const([17, 1, 2, 3], "int8", [4])
        c17_1 = T.Buffer((4,), "int8", data=c17)
        y[0] = y[0] + c17_1[1]
        c18 = T.allocate_const([18, 1, 2, 3], "int8", [4])
        c18_1 = T.Buffer((4,), "int8", data=c18)
        y[0] = y[0] + c18_1[1]
