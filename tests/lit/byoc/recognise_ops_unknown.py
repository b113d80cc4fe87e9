# RUN: tenon-opt --pipeline=recognise-ops %s | FileCheck %s

# from tvm.script import ir as I
# from tvm.script import tir as T

# Each reason for which an operator gets no claim.

@I.ir_module
class Module:
    # CHECK-LABEL: def assertion(
    # CHECK: "tenon.op": {"kind": "unknown", "because": "it has an assertion"}
    @T.prim_func(private=True)
    def assertion(x: T.Buffer((4,), "float32")):
        assert x[0] < T.float32(2), "it is small"
        x[0] = T.float32(1)

    # CHECK-LABEL: def called_apart(
    # CHECK: "tenon.op": {"kind": "layout"
    # Calls pass different tensors: it does not need tir.noalias.
    @T.prim_func(private=True)
    def called_apart(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        for i in range(4):
            y[i] = x[i]

    # CHECK-LABEL: def called_together(
    # CHECK: "tenon.op": {"kind": "unknown", "because": "its parameters may overlap: it has no `tir.noalias`"}
    @T.prim_func(private=True)
    def called_together(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        for i in range(4):
            y[i] = x[i]

    # CHECK-LABEL: def early(
    # CHECK: "tenon.op": {"kind": "unknown", "because": "stages of one tensor may take turns in shared loops"}
    # The sum is read before it is complete.
    @T.prim_func(private=True)
    def early(x: T.Buffer((4, 8), "float32"), y: T.Buffer((4, 8), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        sums = T.allocate([4], "float32", "global")
        s = T.Buffer((4,), "float32", data=sums)
        for i in range(4):
            s[i] = T.float32(0)
        for i, k in T.grid(4, 8):
            s[i] = s[i] + x[i, k]
            y[i, k] = s[i]

    # CHECK-LABEL: def guarded(
    # CHECK: "tenon.op": {"kind": "unknown", "because": "a store is under a condition that is not understood"}
    @T.prim_func(private=True)
    def guarded(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            if x[i] > T.float32(0):
                y[i] = x[i]

    # CHECK-LABEL: def in_place(
    # CHECK: "tenon.op": {"kind": "unknown", "because": "stages of one tensor may take turns in shared loops"}
    @T.prim_func(private=True)
    def in_place(x: T.Buffer((8,), "float32")):
        for i in range(7):
            x[i] = x[i + 1]

    # CHECK-LABEL: def in_place_row(
    # CHECK: "tenon.op": {"kind": "unknown", "because": "a parameter is both read and written"}
    @T.prim_func(private=True)
    def in_place_row(x: T.Buffer((8,), "float32")):
        sums = T.allocate([1], "float32", "global")
        s = T.Buffer((1,), "float32", data=sums)
        s[0] = T.float32(0)
        for i in range(8):
            s[0] = s[0] + x[i]
        for i in range(8):
            x[i] = x[i] / s[0]

    # CHECK-LABEL: def never_set(
    # CHECK: "tenon.op": {"kind": "unknown", "because": "a local tensor is read before it is set"}
    @T.prim_func(private=True)
    def never_set(x: T.Buffer((8,), "float32"), y: T.Buffer((1,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        sums = T.allocate([1], "float32", "global")
        s = T.Buffer((1,), "float32", data=sums)
        for i in range(8):
            s[0] = s[0] + x[i]
        y[0] = s[0]

    # CHECK-LABEL: def overwritten(
    # CHECK: "tenon.op": {"kind": "unknown", "because": "a loop stores to the same element more than once"}
    @T.prim_func(private=True)
    def overwritten(x: T.Buffer((8,), "float32"), y: T.Buffer((1,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(8):
            y[0] = x[i]

    # CHECK-LABEL: def while_loop(
    # CHECK: "tenon.op": {"kind": "unknown", "because": "it has a while loop"}
    @T.prim_func(private=True)
    def while_loop(x: T.Buffer((8,), "int32")):
        while x[0] < 3:
            x[0] = x[0] + 1

    @T.prim_func
    def main(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32")):
        Module.called_apart(a.data, b.data)
        Module.called_together(a.data, a.data)
