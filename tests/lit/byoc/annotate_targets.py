# The targets that operators get.
# RUN: tenon-opt %s --pipeline='annotate-targets{targets=body:a,body:b trust=true skip=left_out}' --timing -o %t.py 2>&1 | FileCheck --check-prefix=COUNT %s
# RUN: FileCheck %s < %t.py
# RUN: tenon-opt %t.py --pipeline='annotate-targets{targets=body:a,body:b trust=true skip=left_out}' --compare %t.py | FileCheck --check-prefix=AGAIN %s
# RUN: tenon-opt %s --pipeline='annotate-targets{targets=body:a trust=true skip=left_out},annotate-targets{targets=body:b trust=true skip=left_out}' --compare %t.py | FileCheck --check-prefix=AGAIN %s
# AGAIN: equal
# RUN: tenon-opt %s --pipeline='annotate-targets{targets=body trust=true only=add,zeros}' | FileCheck --check-prefix=ONLY %s
# RUN: tenon-opt %s --pipeline='annotate-targets{targets=body trust=true},merge-regions,partition' --verify-roundtrip | FileCheck --check-prefix=PARTS %s

# COUNT: 9 {{ *}}annotate-targets.operators
# COUNT: 6 {{ *}}annotate-targets.annotated

from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    # An operator without a body has its targets in the module.
    # CHECK: "tenon.targets": {"absent": ["body:a", "body:b"]}
    I.module_attrs({"tenon.externs": {"absent": ["r", "o"]}, "tenon.ops": {"absent": {"kind": "sort"}}})

    # CHECK-LABEL: def add(
    # CHECK-NEXT: "tenon.targets": ["body:a", "body:b"]})
    # ONLY-LABEL: def add(
    # ONLY-NEXT: "tenon.targets": ["body"]})
    @T.prim_func
    def add(x: T.Buffer((4,), "int32"), z: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.op": {"kind": "elementwise"}})
        for i in range(4):
            y[i] = x[i] + z[i]

    # An operator that calls other operators is one operator: it contains no regions.
    # CHECK-LABEL: def composite(
    # CHECK-NEXT: "tenon.targets": ["body:a", "body:b"]})
    # PARTS-LABEL: def composite(
    # PARTS-NOT: tvmgen
    # PARTS: T.call_extern("int32", "add", x.data, x.data, a)
    # PARTS: T.call_extern("int32", "relu", a, y.data)
    @T.prim_func
    def composite(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.op": {"kind": "add_relu"}})
        a = T.allocate([4], "int32", "global")
        T.call_extern("int32", "add", x.data, x.data, a)
        T.call_extern("int32", "relu", a, y.data)

    # It already has its own generator.
    # CHECK-LABEL: def external(
    # CHECK-NOT: tenon.targets
    # CHECK-LABEL: def for_one_target(
    # CHECK-NEXT: "tenon.targets": ["body:b"], "tenon.why_not": {"body:a": "its tenon.offload says body:b"}
    @T.prim_func
    def external(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"Compiler": "other", "tenon.op": {"kind": "elementwise"}})
        for i in range(4):
            y[i] = x[i]

    @T.prim_func
    def for_one_target(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.offload": "body:b", "tenon.op": {"kind": "elementwise"}})
        for i in range(4):
            y[i] = x[i]

    # CHECK-LABEL: def for_the_host(
    # CHECK-NOT: tenon.targets
    # CHECK: "tenon.why_not": {"body:a": "its tenon.offload says host", "body:b": "its tenon.offload says host"}
    @T.prim_func
    def for_the_host(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.offload": "host", "tenon.op": {"kind": "elementwise"}})
        for i in range(4):
            y[i] = x[i]

    # CHECK-LABEL: def left_out(
    # CHECK-NOT: tenon.targets
    # CHECK: "tenon.why_not": {"body:a": "the option skip names it", "body:b": "the option skip names it"}
    # ONLY-LABEL: def left_out(
    # ONLY-NOT: tenon.targets
    # ONLY: "tenon.why_not": {"body": "the option only does not name it"}
    @T.prim_func
    def left_out(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.op": {"kind": "elementwise"}})
        for i in range(4):
            y[i] = x[i]

    # Only operators are offered to targets.
    # CHECK-LABEL: def plain(
    # CHECK-NEXT: for i in range(4):
    # CHECK-LABEL: def relu(
    # CHECK-NEXT: "tenon.targets": ["body:a", "body:b"]})
    # CHECK-LABEL: def unknown(
    # CHECK-NOT: tenon.targets
    # CHECK: "tenon.why_not": {"body:a": "a loop without an end", "body:b": "a loop without an end"}
    # CHECK-LABEL: def zeros(
    # CHECK-NEXT: "tenon.targets": ["body:a", "body:b"]})
    @T.prim_func
    def plain(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        for i in range(4):
            y[i] = x[i]

    @T.prim_func
    def relu(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.op": {"kind": "elementwise"}})
        for i in range(4):
            y[i] = T.max(x[i], 0)

    @T.prim_func
    def unknown(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.op": {"because": "a loop without an end", "kind": "unknown"}})
        for i in range(4):
            y[i] = x[i]

    # An operator without inputs.
    @T.prim_func
    def zeros(y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.op": {"kind": "elementwise"}})
        for i in range(4):
            y[i] = 0

    # Operators in the arms of a branch and in a loop have regions; the branch and the loop do not.
    # PARTS-LABEL: def main(
    # PARTS: if x[0] > 0:
    # PARTS-NEXT: T.call_extern("int32", "tvmgen_default_body_main_{{[0-9]}}", x.data, a)
    # PARTS-NEXT: else:
    # PARTS-NEXT: T.call_extern("int32", "tvmgen_default_body_main_{{[0-9]}}", a)
    # PARTS-NEXT: for k in range(2):
    # PARTS-NEXT: T.call_extern("int32", "tvmgen_default_body_main_{{[0-9]}}", a, b)
    # PARTS-NEXT: T.call_extern("int32", "plain", b, c)
    # PARTS-NEXT: T.call_extern("int32", "tvmgen_default_body_main_{{[0-9]}}", x.data, c, y.data)
    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        a = T.allocate([4], "int32", "global")
        b = T.allocate([4], "int32", "global")
        c = T.allocate([4], "int32", "global")
        if x[0] > 0:
            T.call_extern("int32", "composite", x.data, a)
        else:
            T.call_extern("int32", "zeros", a)
        for k in range(2):
            T.call_extern("int32", "relu", a, b)
        T.call_extern("int32", "plain", b, c)
        T.call_extern("int32", "add", x.data, c, y.data)
