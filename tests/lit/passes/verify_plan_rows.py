# A function that runs operators row by row says how far its result may overwrite its operand. The plan
# believes it, and verify-plan walks through the functions of the rows.
# RUN: tenon-opt %s --pipeline='assign-pool-info,plan-memory{overlap=on},verify-plan' | FileCheck %s
# CHECK: "distance": 0
# RUN: sed 's/\[\[0, 1, 0\]\]/[[0, 1, 16]]/' %s > %t.py
# RUN: not tenon-opt %t.py --pipeline='assign-pool-info,plan-memory{overlap=on},verify-plan' 2>&1 | FileCheck --check-prefix=FAR %s
# FAR: error: the plan allows `a` and `b` a distance that is not safe: at the distance 16, `group` accesses byte

# Without the attribute, a pointer that is passed on forbids an overlap.
# RUN: sed 's/"tenon.row_distances": [^ ]* [^ ]* [^ ]* //' %s > %t.none.py
# RUN: tenon-opt %t.none.py --pipeline='assign-pool-info,plan-memory{overlap=on},verify-plan' | FileCheck --check-prefix=NONE %s
# NONE-NOT: "distance"
# NONE: def main

from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func
    def fill(q: T.Buffer((64,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(64):
            q[i] = T.Cast("int8", i)

    @T.prim_func
    def rows(p: T.Buffer((16,), "int8"), q: T.Buffer((8,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for x in range(8):
            q[x] = p[x] + p[x + 8]

    @T.prim_func
    def group(p: T.Buffer((64,), "int8"), q: T.Buffer((56,), "int8")):
        T.func_attr({"tenon.row_distances": [[0, 1, 0]], "tir.noalias": T.bool(True)})
        for step in range(7):
            T.call_extern("int32", "rows", T.address_of(p[step * 8]), T.address_of(q[step * 8]))

    @T.prim_func
    def last(p: T.Buffer((56,), "int8"), q: T.Buffer((56,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(56):
            q[i] = p[i]

    @T.prim_func
    def main(y: T.Buffer((56,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        a = T.allocate([64], "int8", "global")
        b = T.allocate([56], "int8", "global")
        T.call_extern("int32", "fill", a)
        T.call_extern("int32", "group", a, b)
        T.call_extern("int32", "last", b, y.data)
