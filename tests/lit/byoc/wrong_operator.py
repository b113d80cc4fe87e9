# A claim in the text is checked against the loops, unless it is trusted.
# RUN: tenon-opt %S/Inputs/claims.py --pipeline='annotate-targets{targets=body}' | FileCheck --check-prefix=CLAIMS %s
# CLAIMS: def composite(
# CLAIMS-NEXT: "tenon.why_not": {"body": "its loops do not prove the claim `add_relu`"}
# CLAIMS: def overlapping(
# CLAIMS-NEXT: "tenon.why_not": {"body": "its loops do not prove the claim `elementwise`: {{.*}}"}
# CLAIMS: def short(
# CLAIMS-NEXT: "tenon.op": {"kind": "elementwise", {{.*}}"elements": 4{{.*}}}, "tenon.targets": ["body"]
# RUN: not tenon-opt %s --pipeline='annotate-targets{targets=body}' 2>&1 | FileCheck %s
# RUN: tenon-opt %s --pipeline='annotate-targets{targets=body trust=true}' | FileCheck --check-prefix=TRUST %s
# CHECK: :[[#@LINE+8]]:{{[0-9]+}}: error: expected a claim that the loops of `scale` prove, found `conv2d` [wrong-operator]
# CHECK: note: the loops prove `elementwise` of 0 multiplications and 4 elements written
# TRUST: "tenon.op": {"kind": "conv2d"}, "tenon.targets": ["body"]


@I.ir_module
class Module:
    @T.prim_func
    def scale(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.op": {"kind": "conv2d"}, "tir.noalias": T.bool(True)})
        for i in range(4):
            y[i] = x[i] * 3
