# RUN: tenon-opt --pipeline=recognise-ops --verify-roundtrip %s | FileCheck %s

# from tvm.script import ir as I
# from tvm.script import tir as T

# Values that iterations pass on, and sums that are read too early, are not misrecognized.

@I.ir_module
class Module:
    # CHECK-LABEL: def carried(
    # CHECK-NEXT: "tenon.op": {"kind": "unknown", "because": "a loop stores to the same element more than once"
    @T.prim_func(private=True)
    def carried(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        acc = T.allocate([1], "float32", "global")
        a = T.Buffer((1,), "float32", data=acc)
        for i in range(4):
            a[0] = T.float32(5)
            if i == 0:
                a[0] = T.float32(7)
            y[i] = a[0] + x[i]

    # CHECK-LABEL: def first_last(
    # CHECK-NEXT: "tenon.op": {"kind": "reduce"
    @T.prim_func(private=True)
    def first_last(x: T.Buffer((4,8), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        acc = T.allocate([1], "float32", "global")
        a = T.Buffer((1,), "float32", data=acc)
        for i, k in T.grid(4, 8):
            if k == 0:
                a[0] = T.float32(0)
            a[0] = a[0] + x[i, k]
            if k == 7:
                y[i] = a[0]

    # CHECK-LABEL: def last_wins(
    # CHECK-NEXT: "tenon.op": {"kind": "elementwise"
    @T.prim_func(private=True)
    def last_wins(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        acc = T.allocate([1], "float32", "global")
        a = T.Buffer((1,), "float32", data=acc)
        for i in range(4):
            if i == 0:
                a[0] = x[i]
            y[i] = a[0] + x[i]

    # CHECK-LABEL: def max_of_partial(
    # CHECK-NEXT: "tenon.op": {"kind": "unknown", "because": "stages of one tensor may take turns in shared loops"
    @T.prim_func(private=True)
    def max_of_partial(x: T.Buffer((4,8), "float32"), y: T.Buffer((1,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        s = T.allocate([1], "float32", "global")
        t = T.Buffer((1,), "float32", data=s)
        y[0] = T.float32(-1000)
        for i in range(4):
            t[0] = T.float32(0)
            for k in range(8):
                t[0] = t[0] + x[i, k]
                y[0] = T.max(y[0], t[0])

    # CHECK-LABEL: def overwrite_in_loop(
    # CHECK-NEXT: "tenon.op": {"kind": "unknown", "because": "a loop stores to the same element more than once"
    @T.prim_func(private=True)
    def overwrite_in_loop(x: T.Buffer((4,8), "float32"), y: T.Buffer((4,8), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        acc = T.allocate([8], "float32", "global")
        a = T.Buffer((8,), "float32", data=acc)
        for k in range(8):
            a[k] = T.float32(1)
        for i in range(4):
            for k in range(8):
                y[i, k] = a[k]
            for k in range(8):
                a[k] = x[i, k]

    # CHECK-LABEL: def reduce_of_reduce(
    # CHECK-NEXT: "tenon.op": {"kind": "reduce"
    @T.prim_func(private=True)
    def reduce_of_reduce(x: T.Buffer((4,8), "float32"), y: T.Buffer((1,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        s = T.allocate([1], "float32", "global")
        t = T.Buffer((1,), "float32", data=s)
        y[0] = T.float32(0)
        for i in range(4):
            t[0] = T.float32(0)
            for k in range(8):
                t[0] = t[0] + x[i, k]
            y[0] = y[0] + t[0]

    # CHECK-LABEL: def shift_reg(
    # CHECK-NEXT: "tenon.op": {"kind": "unknown", "because": "a loop stores to the same element more than once"
    @T.prim_func(private=True)
    def shift_reg(x: T.Buffer((8,), "float32"), y: T.Buffer((8,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        acc = T.allocate([2], "float32", "global")
        a = T.Buffer((2,), "float32", data=acc)
        a[0] = T.float32(0)
        for i in range(8):
            a[1] = a[0]
            a[0] = x[i]
            y[i] = a[1]

    # CHECK-LABEL: def tail_acc(
    # CHECK-NEXT: "tenon.op": {"kind": "matmul"
    @T.prim_func(private=True)
    def tail_acc(a: T.Buffer((10,12), "float32"), b: T.Buffer((12,7), "float32"), y: T.Buffer((10,7), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for io, ii, j in T.grid(3, 4, 7):
            if T.likely(io * 4 + ii < 10):
                acc = T.allocate([1], "float32", "global")
                t = T.Buffer((1,), "float32", data=acc)
                t[0] = T.float32(0)
                for k in range(12):
                    t[0] = t[0] + a[io*4 + ii, k] * b[k, j]
                y[io*4 + ii, j] = t[0]

    # CHECK-LABEL: def tail_each(
    # CHECK-NEXT: "tenon.op": {"kind": "unknown", "because": "a loop stores to the same element more than once"
    @T.prim_func(private=True)
    def tail_each(a: T.Buffer((10,12), "float32"), b: T.Buffer((12,7), "float32"), y: T.Buffer((10,7), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for io in range(3):
            acc = T.allocate([28], "float32", "global")
            t = T.Buffer((28,), "float32", data=acc)
            for ii, j in T.grid(4, 7):
                t[ii*7 + j] = T.float32(0)
                for k in range(12):
                    if T.likely(io * 4 + ii < 10):
                        t[ii*7 + j] = t[ii*7 + j] + a[io*4 + ii, k] * b[k, j]
            for ii, j in T.grid(4, 7):
                if T.likely(io * 4 + ii < 10):
                    y[io*4 + ii, j] = t[ii*7 + j]

    # CHECK-LABEL: def two_sums(
    # CHECK-NEXT: "tenon.op": {"kind": "unknown", "because": "stages of one tensor may take turns in shared loops"
    @T.prim_func(private=True)
    def two_sums(x: T.Buffer((4,8), "float32"), y: T.Buffer((4,), "float32"), z: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            y[i] = T.float32(0)
            z[i] = T.float32(0)
            for k in range(8):
                y[i] = y[i] + x[i, k]
                z[i] = z[i] + x[i, k] * y[i]

    @T.prim_func
    def main():
        T.evaluate(0)
