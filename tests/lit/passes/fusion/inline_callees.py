# Calls of operators in the entry become the operators' statements.
# RUN: tenon-opt %s --pipeline='inline-callees' --timing -o %t.py --verify-roundtrip 2>&1 | FileCheck --check-prefix=COUNT %s
# RUN: FileCheck %s < %t.py
# RUN: tenon-opt %t.py --pipeline='inline-callees' --compare %t.py | FileCheck --check-prefix=AGAIN %s
# RUN: tenon-opt %s --pipeline='inline-callees{max-nodes=1}' --compare %s | FileCheck --check-prefix=AGAIN %s
# RUN: not tenon-opt %s --pipeline='inline-callees{max-nodes=-1}' 2>&1 | FileCheck --check-prefix=NEGATIVE %s

# COUNT: 4 {{ *}}inline-callees.calls
# COUNT: 3 {{ *}}inline-callees.functions
# AGAIN: equal
# NEGATIVE: option `max-nodes` is negative, expected 0 or more

from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    # CHECK-NOT: def widen
    # CHECK-NOT: def scale
    # CHECK-NOT: def twice
    @T.prim_func
    def widen(x: T.Buffer((8,), "int8"), y: T.Buffer((8,), "int16")):
        T.func_attr({"tir.noalias": T.bool(True)})
        scratch = T.allocate([8], "int16", "global")
        scratch_1 = T.Buffer((8,), "int16", data=scratch)
        for i in range(8):
            scratch_1[i] = T.Cast("int16", x[i])
        for i in range(8):
            y[i] = scratch_1[i] - T.int16(3)

    @T.prim_func
    def checked(x: T.Buffer((8,), "int16"), y: T.Buffer((8,), "int16")):
        with T.Assert(x[0] < T.int16(1000), "large"):
            for i in range(8):
                y[i] = x[i]

    @T.prim_func
    def scale(x: T.handle("int16"), y: T.Buffer((8,), "int16"), k: T.int32):
        x_1 = T.Buffer((8,), "int16", data=x)
        for i in range(8):
            y[i] = x_1[i] * T.Cast("int16", k)

    @T.prim_func
    def twice(x: T.Buffer((8,), "int16"), y: T.Buffer((8,), "int16")):
        b = T.allocate([16], "int8", "global")
        T.call_extern("int32", "half", x.data, b)
        T.call_extern("int32", "half", b, y.data)

    @T.prim_func
    def half(x: T.Buffer((8,), "int16"), y: T.Buffer((8,), "int16")):
        for i in range(8):
            y[i] = x[i] // T.int16(2)

    # Calls that stay: external code, a return, a recursion, a shape that the caller decides.
    # CHECK: def elsewhere(
    @T.prim_func
    def elsewhere(x: T.Buffer((8,), "int16"), y: T.Buffer((8,), "int16")):
        T.func_attr({"Compiler": "npu"})
        for i in range(8):
            y[i] = x[i]

    # CHECK: def recursive(
    @T.prim_func
    def recursive(x: T.Buffer((8,), "int16"), n: T.int32):
        if n > 0:
            T.call_extern("int32", "recursive", x.data, n - 1)
        x[0] = x[0] + T.int16(1)

    # CHECK: def returns(
    @T.prim_func
    def returns(x: T.Buffer((8,), "int16")):
        x[0] = T.int16(1)
        T.evaluate(T.ret(0))

    # CHECK: def shaped(
    @T.prim_func
    def shaped(x: T.handle, n: T.int32):
        x_1 = T.match_buffer(x, (n,), "int16")
        x_1[n - 1] = T.int16(7)

    # CHECK: def uncalled(
    @T.prim_func
    def uncalled(x: T.Buffer((8,), "int16")):
        x[0] = T.int16(7)

    # All allocations come first. `sid_1` was bytes, and gets the type that both operators use.
    # CHECK-LABEL: def main(
    # CHECK: sid_1 = T.allocate([8], "int16", "global")
    # CHECK-NEXT: sid_2 = T.allocate([16], "int8", "global")
    # CHECK-NEXT: scratch = T.allocate([8], "int16", "global")
    # CHECK-NEXT: b = T.allocate([8], "int16", "global")
    # CHECK: for i in T.serial(8, annotations={"tenon.origins": ["widen"]}):
    # CHECK: for i in T.serial(8, annotations={"tenon.origins": ["widen"]}):
    # An assertion may end the entry, as the check of the call did.
    # CHECK: with T.Assert(
    # CHECK-NEXT: for i in T.serial(8, annotations={"tenon.origins": ["checked"]}):
    # An unchecked status does not end the entry.
    # CHECK: T.call_extern("int32", "checked", sid_2, sid_2)
    # An argument that is an expression has a name.
    # CHECK: with T.LetStmt(3) as k:
    # CHECK-NEXT: for i in T.serial(8, annotations={"tenon.origins": ["scale"]}):
    # The second call of a function gets another name.
    # CHECK: for i in T.serial(8, annotations={"tenon.origins": ["half"]}):
    # CHECK: for i in T.serial(8, annotations={"tenon.origins": ["half@2"]}):
    # CHECK: "elsewhere"
    # CHECK: "returns"
    # CHECK: "recursive"
    # CHECK: "shaped"
    # CHECK: T.attr({{.*}}, "tenon.region", "npu")
    # CHECK-NEXT: T.call_extern("int32", "half"
    @T.prim_func
    def main(x: T.Buffer((8,), "int8"), y: T.Buffer((8,), "int16")):
        sid_1 = T.allocate([16], "int8", "global")
        sid_2 = T.allocate([16], "int8", "global")
        T.tvm_check_return(0, -1, T.call_extern("int32", "widen", x.data, sid_1))
        T.tvm_check_return(0, -1, T.call_extern("int32", "checked", sid_1, sid_2))
        T.call_extern("int32", "checked", sid_2, sid_2)
        T.call_cpacked("scale", sid_2, y.data, 3, T.reinterpret("handle", T.uint64(0)))
        T.call_extern("int32", "twice", y.data, y.data)
        T.call_extern("int32", "elsewhere", y.data, y.data)
        T.call_extern("int32", "returns", sid_2)
        T.call_extern("int32", "recursive", sid_2, 2)
        T.call_extern("int32", "shaped", sid_2, 8)
        with T.attr(0, "tenon.region", "npu"):
            T.call_extern("int32", "half", y.data, y.data)
