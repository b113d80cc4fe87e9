# A claim of the text is held against the loops, unless it is trusted.
# RUN: not tenon-opt %s --pipeline='annotate-targets{targets=body}' 2>&1 | FileCheck %s
# RUN: tenon-opt %s --pipeline='annotate-targets{targets=body trust=true}' | FileCheck --check-prefix=TRUST %s
# CHECK: :[[#@LINE+8]]:{{[0-9]+}}: error: expected a claim that the loops of `scale` prove, found `conv2d` [wrong-operator]
# CHECK: note: the loops prove `elementwise` of 0 multiplications and 4 elements written
# TRUST: "tenon.op": {"kind": "conv2d"}, "tenon.targets": ["body"]


@I.ir_module
class Module:
    @T.prim_func
    def scale(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.op": {"kind": "conv2d"}})
        for i in range(4):
            y[i] = x[i] * 3

    # A short claim that holds becomes the whole one.
    @T.prim_func
    def sum(x: T.Buffer((4,), "int32"), z: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.op": {"kind": "elementwise"}})
        for i in range(4):
            y[i] = x[i] + z[i]
