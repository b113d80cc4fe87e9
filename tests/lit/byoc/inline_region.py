# External functions go back into their callers.
# RUN: tenon-opt %s --pipeline='inline-region' --timing -o %t.py --verify-roundtrip 2>&1 | FileCheck --check-prefix=COUNT %s
# RUN: FileCheck %s < %t.py
# RUN: tenon-opt %t.py --pipeline='inline-region' --compare %t.py | FileCheck --check-prefix=AGAIN %s
# AGAIN: equal
# RUN: tenon-opt %s --pipeline='inline-region{attr=Compiler=npu}' | FileCheck --check-prefix=NPU %s
# RUN: tenon-opt %s --pipeline='inline-region{functions=loops}' | FileCheck --check-prefix=LOOPS %s
# RUN: not tenon-opt %S/Inputs/not_inlined.py --pipeline='inline-region' 2>&1 | FileCheck --check-prefix=ERROR %s

# COUNT: 2 {{ *}}inline-region.functions
# COUNT: 3 {{ *}}inline-region.calls
# ERROR: `returns` cannot be inlined: it may return early
# ERROR: `again` cannot be inlined: it is recursive

from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    # CHECK-NOT: def external
    # CHECK-NOT: def loops
    # NPU-NOT: def external
    # NPU: def loops(
    # LOOPS: def external(
    # LOOPS-NOT: def loops(
    @T.prim_func
    def external(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"Compiler": "npu", "tenon.externs": {"absent": ["r", "o"]}})
        a = T.allocate([4], "int32", "global")
        T.tvm_check_return(0, -1, T.call_extern("int32", "one", x.data, a))
        T.call_extern("int32", "absent", a, y.data)

    @T.prim_func
    def loops(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32"), k: T.int32):
        T.func_attr({"Compiler": "gpu"})
        for i in range(4):
            y[i] = x[i] * k

    @T.prim_func
    def one(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        for i in range(4):
            y[i] = x[i] + 1

    # A function that is inlined twice has its memory twice. A pointer into a tensor has a name. The
    # caller gets the external function's declarations of externs.
    # CHECK-LABEL: def main(
    # CHECK-NEXT: T.func_attr({"tenon.externs": {"absent": ["r", "o"]}})
    # CHECK: T.tvm_check_return(0, -1, T.call_extern("int32", "one", x.data, a))
    # CHECK-NEXT: T.call_extern("int32", "absent", a, m)
    # CHECK: T.tvm_check_return(0, -1, T.call_extern("int32", "one", m, a))
    # CHECK-NEXT: T.call_extern("int32", "absent", a, y.data)
    # CHECK: y_handle: T.handle("int32", "global") = T.address_of(v[4])
    # CHECK-NEXT: k: T.int32 = 3
    # CHECK-NEXT: for i in range(4):
    # CHECK-NEXT: [[Y:[a-z_0-9]+]] = T.Buffer((4,), "int32", data=y_handle)
    # CHECK-NEXT: [[Y]][i] = x[i] * k
    # LOOPS-LABEL: def main(
    # LOOPS: "external"
    # LOOPS: "external"
    # LOOPS: = x[i] * k
    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32"), z: T.Buffer((8,), "int32")):
        m = T.allocate([4], "int32", "global")
        v = T.Buffer((8,), "int32", data=z.data)
        T.tvm_check_return(0, -1, T.call_extern("int32", "external", x.data, m))
        T.tvm_check_return(0, -1, T.call_extern("int32", "external", m, y.data))
        T.call_extern("int32", "loops", x.data, T.address_of(v[4]), 3)
