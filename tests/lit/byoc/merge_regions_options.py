# Options of merge-regions, regions that the text gives, and statements between calls.
# RUN: tenon-opt %s --pipeline=merge-regions -o %t.py --verify-roundtrip
# RUN: FileCheck %s < %t.py
# RUN: tenon-opt %t.py --pipeline=merge-regions --compare %t.py | FileCheck --check-prefix=AGAIN %s
# AGAIN: equal
# RUN: tenon-opt %s --pipeline='merge-regions{siblings=false}' | FileCheck --check-prefix=EDGES %s
# RUN: tenon-opt %s --pipeline='merge-regions{reorder=false}' | FileCheck --check-prefix=RUNS %s
# RUN: tenon-opt %s --pipeline='merge-regions{min-macs=100}' --timing -o %t.macs.py 2>&1 | FileCheck --check-prefix=COUNT %s
# RUN: FileCheck --check-prefix=MACS %s < %t.macs.py
# RUN: tenon-opt %t.macs.py --pipeline='merge-regions{min-macs=100}' --compare %t.macs.py | FileCheck --check-prefix=AGAIN %s
# RUN: tenon-opt %s --pipeline='merge-regions{min-ops=2}' | FileCheck --check-prefix=OPS %s
# RUN: tenon-opt %s --pipeline='merge-regions{max-regions=1}' | FileCheck --check-prefix=MOST %s

# COUNT: 2 {{ *}}merge-regions.regions

from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func
    def o1(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.op": {"kind": "elementwise"}, "tenon.targets": ["a"]})
        for i in range(4):
            y[i] = x[i] + 1

    # It has the multiplications; if a does not support it, b may.
    @T.prim_func
    def conv(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.op": {"kind": "conv2d", "macs": 1000}, "tenon.targets": ["a", "b"]})
        for i in range(4):
            y[i] = x[i] * 3

    @T.prim_func
    def h1(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        for i in range(4):
            y[i] = x[i] * 5

    # An operator that adds to its output.
    @T.prim_func
    def more(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.op": {"kind": "elementwise"}, "tenon.targets": ["a"]})
        for i in range(4):
            y[i] = y[i] + x[i]

    # A branch is one statement. The first call is not merged with the last, which needs its result
    # and that of the branch.
    # CHECK-LABEL: def around_a_branch(
    # CHECK: T.attr(0, "tenon.region", "a")
    # CHECK-NEXT: T.call_extern("int32", "o1", x.data, a)
    # CHECK-NEXT: if x[0] > 0:
    # CHECK-NEXT: T.attr(0, "tenon.region", "a")
    # CHECK-NEXT: T.call_extern("int32", "more", a, y.data)
    # CHECK-NEXT: T.attr(0, "tenon.region", "a")
    # CHECK-NEXT: T.call_extern("int32", "more", a, y.data)
    @T.prim_func
    def around_a_branch(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        a = T.allocate([4], "int32", "global")
        T.call_extern("int32", "o1", x.data, a)
        if x[0] > 0:
            T.call_extern("int32", "more", a, y.data)
        T.call_extern("int32", "more", a, y.data)

    # By multiplications, not by operators: the lone convolution is worth more.
    # OPS-LABEL: def by_worth(
    # OPS: with T.attr(0, "tenon.region", "a"):
    # OPS-NEXT: T.call_extern("int32", "o1", x.data, a)
    # OPS-NEXT: T.call_extern("int32", "o1", a, b)
    # OPS-NEXT: T.call_extern("int32", "h1", b, c)
    # OPS-NEXT: T.attr("a: fewer operators than min-ops; b: fewer operators than min-ops", "tenon.region", "host")
    # OPS-NEXT: T.call_extern("int32", "conv", c, y.data)
    # MOST-LABEL: def by_worth(
    # MOST: T.attr("a: beyond max-regions", "tenon.region", "host")
    # MOST-NEXT: T.call_extern("int32", "o1", x.data, a)
    # MOST-NEXT: T.attr("a: beyond max-regions", "tenon.region", "host")
    # MOST-NEXT: T.call_extern("int32", "o1", a, b)
    # MOST-NEXT: T.call_extern("int32", "h1", b, c)
    # MOST-NEXT: T.attr(0, "tenon.region", "a")
    # MOST-NEXT: T.call_extern("int32", "conv", c, y.data)
    @T.prim_func
    def by_worth(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        a = T.allocate([4], "int32", "global")
        b = T.allocate([4], "int32", "global")
        c = T.allocate([4], "int32", "global")
        T.call_extern("int32", "o1", x.data, a)
        T.call_extern("int32", "o1", a, b)
        T.call_extern("int32", "h1", b, c)
        T.call_extern("int32", "conv", c, y.data)

    # An addition alone is not worth a call: the scope of the host gives the reason and the target.
    # MACS-LABEL: def compute_intensive(
    # MACS: with T.attr(0, "tenon.region", "a"):
    # MACS-NEXT: T.call_extern("int32", "conv", x.data, a)
    # MACS-NEXT: T.call_extern("int32", "o1", a, b)
    # MACS-NEXT: T.call_extern("int32", "h1", b, c)
    # MACS-NEXT: T.attr("a: below min-macs", "tenon.region", "host")
    # MACS-NEXT: T.call_extern("int32", "o1", c, y.data)
    @T.prim_func
    def compute_intensive(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        a = T.allocate([4], "int32", "global")
        b = T.allocate([4], "int32", "global")
        c = T.allocate([4], "int32", "global")
        T.call_extern("int32", "conv", x.data, a)
        T.call_extern("int32", "o1", a, b)
        T.call_extern("int32", "h1", b, c)
        T.call_extern("int32", "o1", c, y.data)

    # Scopes in the text stay; scopes of the same name are merged. A scope of the host keeps its call.
    # CHECK-LABEL: def given(
    # CHECK: with T.attr("mine", "tenon.region", "b"):
    # CHECK-NEXT: T.call_extern("int32", "o1", x.data, a)
    # CHECK-NEXT: T.call_extern("int32", "o1", a, y.data)
    # CHECK-NEXT: T.call_extern("int32", "h1", x.data, z.data)
    # CHECK-NEXT: T.attr(0, "tenon.region", "host")
    # CHECK-NEXT: T.call_extern("int32", "o1", x.data, w.data)
    @T.prim_func
    def given(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32"), z: T.Buffer((4,), "int32"), w: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        a = T.allocate([4], "int32", "global")
        with T.attr("mine", "tenon.region", "b"):
            T.call_extern("int32", "o1", x.data, a)
        T.call_extern("int32", "h1", x.data, z.data)
        with T.attr("mine", "tenon.region", "b"):
            T.call_extern("int32", "o1", a, y.data)
        with T.attr(0, "tenon.region", "host"):
            T.call_extern("int32", "o1", x.data, w.data)

    # Variables for an index or an address are replaced by their values.
    # CHECK-LABEL: def lets(
    # CHECK-NOT: T.LetStmt
    # CHECK: with T.attr(0, "tenon.region", "a"):
    # CHECK-NEXT: a = T.Buffer((8,), "int32", data=b)
    # CHECK-NEXT: T.call_extern("int32", "o1", x.data, T.address_of(a[T.Mul(2, 2)]))
    # CHECK-NEXT: T.call_extern("int32", "o1", T.address_of(a[T.Mul(2, 2)]), y.data)
    # CHECK-NEXT: T.call_extern("int32", "h1", y.data, z.data)
    # CHECK-LABEL: def lets_that_read(
    # CHECK: with T.attr(0, "tenon.region", "a"):
    # CHECK-NEXT: T.call_extern("int32", "o1", x.data, y.data)
    # CHECK-NEXT: n: T.int32 = y[0]
    # CHECK: T.attr(0, "tenon.region", "a")
    @T.prim_func
    def lets(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32"), z: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.allocate([8], "int32", "global")
        a = T.Buffer((8,), "int32", data=b)
        n: T.int32 = 2
        p: T.handle("int32") = T.address_of(a[n * 2])
        T.call_extern("int32", "o1", x.data, p)
        q: T.handle("int32") = p
        T.call_extern("int32", "o1", q, y.data)
        T.call_extern("int32", "h1", y.data, z.data)

    # A value that reads memory stays in place: the statements after it are a separate scope.
    @T.prim_func
    def lets_that_read(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32"), z: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        T.call_extern("int32", "o1", x.data, y.data)
        n: T.int32 = y[0]
        if n > 0:
            T.call_extern("int32", "o1", y.data, z.data)

    # Memory is reused: the second call of o1 must not move before the host's read of the first
    # tensor.
    # CHECK-LABEL: def memory_used_again(
    # CHECK: T.attr(0, "tenon.region", "a")
    # CHECK-NEXT: T.call_extern("int32", "o1", x.data, a)
    # CHECK-NEXT: T.call_extern("int32", "h1", a, y.data)
    # CHECK-NEXT: T.attr(0, "tenon.region", "a")
    # CHECK-NEXT: T.call_extern("int32", "o1", z.data, a)
    # CHECK-NEXT: T.call_extern("int32", "h1", a, z.data)
    @T.prim_func
    def memory_used_again(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32"), z: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        a = T.allocate([4], "int32", "global")
        T.call_extern("int32", "o1", x.data, a)
        T.call_extern("int32", "h1", a, y.data)
        T.call_extern("int32", "o1", z.data, a)
        T.call_extern("int32", "h1", a, z.data)

    # Parameters that may overlap are one memory: nothing moves past a store to one of them.
    # CHECK-LABEL: def overlapping(
    # CHECK: T.attr(0, "tenon.region", "a")
    # CHECK-NEXT: T.call_extern("int32", "o1", x.data, y.data)
    # CHECK-NEXT: T.call_extern("int32", "h1", x.data, z.data)
    # CHECK-NEXT: T.attr(0, "tenon.region", "a")
    # CHECK-NEXT: T.call_extern("int32", "o1", x.data, w.data)
    @T.prim_func
    def overlapping(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32"), z: T.Buffer((4,), "int32"), w: T.Buffer((4,), "int32")):
        T.call_extern("int32", "o1", x.data, y.data)
        T.call_extern("int32", "h1", x.data, z.data)
        T.call_extern("int32", "o1", x.data, w.data)

    # Nothing joins the two calls: they share no input.
    # CHECK-LABEL: def strangers(
    # CHECK: T.attr(0, "tenon.region", "a")
    # CHECK-NEXT: T.call_extern("int32", "o1", x.data, y.data)
    # CHECK-NEXT: T.attr(0, "tenon.region", "a")
    # CHECK-NEXT: T.call_extern("int32", "o1", z.data, w.data)
    @T.prim_func
    def strangers(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32"), z: T.Buffer((4,), "int32"), w: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        T.call_extern("int32", "o1", x.data, y.data)
        T.call_extern("int32", "o1", z.data, w.data)

    # No edge leads from the first call to the last.
    # CHECK-LABEL: def unrelated(
    # CHECK: with T.attr(0, "tenon.region", "a"):
    # CHECK-NEXT: T.call_extern("int32", "o1", x.data, y.data)
    # CHECK-NEXT: T.call_extern("int32", "o1", x.data, w.data)
    # CHECK-NEXT: T.call_extern("int32", "h1", x.data, z.data)
    # EDGES-LABEL: def unrelated(
    # EDGES: T.attr(0, "tenon.region", "a")
    # EDGES-NEXT: T.call_extern("int32", "o1", x.data, y.data)
    # EDGES-NEXT: T.call_extern("int32", "h1", x.data, z.data)
    # EDGES-NEXT: T.attr(0, "tenon.region", "a")
    # EDGES-NEXT: T.call_extern("int32", "o1", x.data, w.data)
    # RUNS-LABEL: def unrelated(
    # RUNS: T.attr(0, "tenon.region", "a")
    # RUNS-NEXT: T.call_extern("int32", "o1", x.data, y.data)
    # RUNS-NEXT: T.call_extern("int32", "h1", x.data, z.data)
    # RUNS-NEXT: T.attr(0, "tenon.region", "a")
    # RUNS-NEXT: T.call_extern("int32", "o1", x.data, w.data)
    @T.prim_func
    def unrelated(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32"), z: T.Buffer((4,), "int32"), w: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        T.call_extern("int32", "o1", x.data, y.data)
        T.call_extern("int32", "h1", x.data, z.data)
        T.call_extern("int32", "o1", x.data, w.data)
