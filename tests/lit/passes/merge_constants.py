# Constants share common bytes: equal bytes; bytes that another constant contains, and overlapping
# ends.
# RUN: tenon-opt --pipeline='merge-constants' --verify-roundtrip --timing %s 2>&1 | FileCheck %s --check-prefixes=CHECK,EXACT
# RUN: tenon-opt --pipeline='merge-constants{level=subrange}' --verify-roundtrip --timing %s 2>&1 | FileCheck %s --check-prefixes=CHECK,SUBRANGE
# RUN: tenon-opt --pipeline=merge-constants,merge-constants --print-ir-after-change %s 2>&1 >/dev/null | FileCheck --check-prefix=ONCE %s
# RUN: not tenon-opt --pipeline='merge-constants{level=all}' %s 2>&1 | FileCheck %s --check-prefix=LEVEL
# RUN: not tenon-opt --pipeline='merge-constants{alignment=3}' %s 2>&1 | FileCheck %s --check-prefix=ALIGN
# Both levels give the same outputs, in the interpreter and in C, in a pool and outside of one.
# RUN: rm -rf %t && mkdir %t && tenon run %s --output %t/y.npy
# RUN: tenon-opt --pipeline='merge-constants' %s -o %t/exact.py && tenon run %t/exact.py --expect %t/y.npy
# RUN: tenon-opt --pipeline='merge-constants{level=subrange}' %s -o %t/subrange.py && tenon run %t/subrange.py --expect %t/y.npy
# RUN: tenon run %t/subrange.py --engine=c --expect %t/y.npy
# RUN: tenon run %t/subrange.py --engine=c --cflags='-std=c99 -O3' --workspace-pools=ws --expect %t/y.npy

# from tvm.script import ir as I
# from tvm.script import tir as T

# ONCE: IR after merge-constants
# ONCE-NOT: IR after merge-constants
# LEVEL: level all, expected exact or subrange
# ALIGN: alignment 3, expected a power of two

# EXACT-DAG: 2 {{ *}}merge-constants.exact{{$}}
# EXACT-DAG: 64 {{ *}}merge-constants.exact_bytes
# EXACT-DAG: 1 {{ *}}merge-constants.across_types{{$}}
# EXACT-DAG: 1 {{ *}}merge-constants.in_sections{{$}}
# EXACT-DAG: 0 {{ *}}merge-constants.contained{{$}}
# SUBRANGE-DAG: 1 {{ *}}merge-constants.contained{{$}}
# SUBRANGE-DAG: 8 {{ *}}merge-constants.contained_bytes
# SUBRANGE-DAG: 1 {{ *}}merge-constants.overlapping{{$}}
# SUBRANGE-DAG: 16 {{ *}}merge-constants.overlapping_bytes
# CHECK-DAG: 0 {{ *}}merge-constants.limited

# CHECK: I.module_attrs({"tenon.constants": [
# Shared bytes have the largest alignment; constants of another type or shape become slices; slices
# of merged constants are updated.
# EXACT-SAME: I.constant("a", [1, 2, 3, 4, 5, 6, 7, 8], "int32", [8], align=64)
# EXACT-SAME: I.constant("b", I.slice("a", 0), "uint32", [2, 4], align=64)
# EXACT-SAME: I.constant("c", [5, 6], "int32", [2])
# EXACT-SAME: I.constant("s", I.slice("a", 16), "int32", [2], align=16)
# SUBRANGE-SAME: I.constant("merged", [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13], "int32", [12], align=64)
# SUBRANGE-SAME: I.constant("a", I.slice("merged", 0), "int32", [8], align=16)
# SUBRANGE-SAME: I.constant("b", I.slice("merged", 0), "uint32", [2, 4], align=64)
# SUBRANGE-SAME: I.constant("c", I.slice("merged", 16), "int32", [2], align=16)
# SUBRANGE-SAME: I.constant("s", I.slice("merged", 16), "int32", [2], align=16)
# Not across sections, and not constants with a significant address.
# CHECK-SAME: I.constant("k", [1, 2, 3, 4, 5, 6, 7, 8], "int32", [8], section=".k")
# CHECK-NOT: I.constant("l"
# CHECK-SAME: I.constant("own", [1, 2, 3, 4, 5, 6, 7, 8], "int32", [8], address_significant=True)
# SUBRANGE-SAME: I.constant("f", I.slice("merged", 16), "int32", [8], align=16)


@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        I.constant("a", [1, 2, 3, 4, 5, 6, 7, 8], "int32", [8]),
        I.constant("b", [[1, 2, 3, 4], [5, 6, 7, 8]], "uint32", [2, 4], align=64),
        I.constant("c", [5, 6], "int32", [2]),
        I.constant("s", I.slice("b", 16), "int32", [2]),
        I.constant("k", [1, 2, 3, 4, 5, 6, 7, 8], "int32", [8], section=".k"),
        I.constant("l", [1, 2, 3, 4, 5, 6, 7, 8], "int32", [8], section=".k"),
        I.constant("own", [1, 2, 3, 4, 5, 6, 7, 8], "int32", [8], address_significant=True)]})
    @T.prim_func
    def main(B: T.Buffer((4,), "int32")):
        a = T.allocate_const(I.constant("a"), "int32", [8])
        b = T.allocate_const(I.constant("b"), "uint32", [2, 4])
        c = T.allocate_const(I.constant("c"), "int32", [2])
        s = T.allocate_const(I.constant("s"), "int32", [2])
        k = T.allocate_const(I.constant("k"), "int32", [8])
        l = T.allocate_const(I.constant("l"), "int32", [8])
        own = T.allocate_const(I.constant("own"), "int32", [8])
        # CHECK: z = T.allocate_const([0, 0, 0, 0, 0], "int32", [5])
        z = T.allocate_const([0, 0, 0, 0, 0], "int32", [5])
        y = T.allocate_const([3, 3, 3, 3], "int32", [4])
        f = T.allocate_const([5, 6, 7, 8, 10, 11, 12, 13], "int32", [8])
        a_1 = T.Buffer((8,), "int32", data=a)
        b_1 = T.Buffer((2, 4), "uint32", data=b)
        c_1 = T.Buffer((2,), "int32", data=c)
        s_1 = T.Buffer((2,), "int32", data=s)
        k_1 = T.Buffer((8,), "int32", data=k)
        l_1 = T.Buffer((8,), "int32", data=l)
        o_1 = T.Buffer((8,), "int32", data=own)
        z_1 = T.Buffer((5,), "int32", data=z)
        y_1 = T.Buffer((4,), "int32", data=y)
        f_1 = T.Buffer((8,), "int32", data=f)
        for i in range(4):
            B[i] = a_1[i] + T.Cast("int32", b_1[1, i]) + c_1[i // 2] + s_1[i // 2] + k_1[i] + l_1[i + 4] + o_1[i] + z_1[i] + f_1[i]
        B[0:4] = B[0:4] + y_1[0:4]
