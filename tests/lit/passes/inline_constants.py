# Named constants become data in place: the inverse of extract-constants. Constants that cannot be
# written in place keep their names.
# RUN: tenon-opt --pipeline=inline-constants --verify-roundtrip --timing %s 2>&1 | FileCheck %s
# RUN: tenon-opt --pipeline=inline-constants,inline-constants --print-ir-after-change %s 2>&1 >/dev/null | FileCheck --check-prefix=ONCE %s
# RUN: rm -rf %t && mkdir %t && tenon run %s --output %t/y.npy
# RUN: tenon-opt --pipeline=inline-constants %s -o %t/inlined.py && tenon run %t/inlined.py --expect %t/y.npy
# RUN: tenon-opt --pipeline=inline-constants,extract-constants,inline-constants %s -o %t/again.py && diff %t/inlined.py %t/again.py
# Merged constants become separate again, except for their alignment.
# RUN: tenon-opt --pipeline='merge-constants{level=subrange},inline-constants' %s | FileCheck %s --check-prefix=MERGED

# from tvm.script import ir as I
# from tvm.script import tir as T

# ONCE: IR after inline-constants
# ONCE-NOT: IR after inline-constants

# CHECK-DAG: 5 {{ *}}inline-constants.inlined
# CHECK-DAG: 4 {{ *}}inline-constants.removed

# CHECK: I.module_attrs({"tenon.constants": [I.constant("placed", [1, 2], "int8", [2], align=64), I.constant("large", I.splat(1), "int8", [2097152])]})
# CHECK: a = T.allocate_const([1, 2, 3, 4], "int8", [4])
# CHECK: again = T.allocate_const([1, 2, 3, 4], "int8", [4])
# CHECK: part = T.allocate_const([3, 4], "int8", [2])
# CHECK: h = T.allocate_const([1.5, -2.0], "float16", [2])
# CHECK: z = T.allocate_const([7, 7, 7], "int8", [3])
# CHECK: placed = T.allocate_const(I.constant("placed"), "int8", [2])
# CHECK: large = T.allocate_const(I.constant("large"), "int8", [2097152])

# MERGED: I.constant("w", [1, 2, 3, 4], "int8", [4], align=64), I.constant("placed", I.slice("w", 0), "int8", [2], align=64)
# MERGED: a = T.allocate_const(I.constant("w"), "int8", [4])
# MERGED: part = T.allocate_const([3, 4], "int8", [2])
# MERGED: placed = T.allocate_const(I.constant("placed"), "int8", [2])

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        I.constant("w", [1, 2, 3, 4], "int8", [4]),
        I.constant("part", I.slice("w", 2), "int8", [2]),
        I.constant("placed", [1, 2], "int8", [2], align=64),
        I.constant("half", [1.5, -2.0], "float16", [2]),
        I.constant("z", I.splat(7), "int8", [3]),
        I.constant("large", I.splat(1), "int8", [2097152])]})
    @T.prim_func
    def main(B: T.Buffer((2,), "int32")):
        a = T.allocate_const(I.constant("w"), "int8", [4])
        again = T.allocate_const(I.constant("w"), "int8", [4])
        part = T.allocate_const(I.constant("part"), "int8", [2])
        h = T.allocate_const(I.constant("half"), "float16", [2])
        z = T.allocate_const(I.constant("z"), "int8", [3])
        placed = T.allocate_const(I.constant("placed"), "int8", [2])
        large = T.allocate_const(I.constant("large"), "int8", [2097152])
        a_1 = T.Buffer((4,), "int8", data=a)
        g_1 = T.Buffer((4,), "int8", data=again)
        p_1 = T.Buffer((2,), "int8", data=part)
        h_1 = T.Buffer((2,), "float16", data=h)
        z_1 = T.Buffer((3,), "int8", data=z)
        d_1 = T.Buffer((2,), "int8", data=placed)
        l_1 = T.Buffer((2097152,), "int8", data=large)
        for i in range(2):
            B[i] = T.Cast("int32", a_1[i] + g_1[i + 2] + p_1[i] + z_1[i] + d_1[i] + l_1[i]) + T.Cast("int32", h_1[i])
