# The calls that become one region. `o` has the target a, `b` the target b, and `h` stays on the host;
# numbers count their inputs. Each function is one graph; a region is a scope of its calls.
# All regions and all calls are checked.
# RUN: tenon-opt %s --pipeline=merge-regions --verify-roundtrip -o %t.py
# RUN: FileCheck %s --implicit-check-not='region", ' --implicit-check-not='"{{[obh][12]|split}}", ' < %t.py
# RUN: tenon-opt %t.py --pipeline=merge-regions --compare %t.py | FileCheck --check-prefix=AGAIN %s
# AGAIN: equal

from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func
    def o1(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.op": {"kind": "elementwise"}, "tenon.targets": ["a"]})
        for i in range(4):
            y[i] = x[i] + 1

    @T.prim_func
    def o2(x: T.Buffer((4,), "int32"), z: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.op": {"kind": "elementwise"}, "tenon.targets": ["a"]})
        for i in range(4):
            y[i] = x[i] - z[i]

    @T.prim_func
    def b1(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.op": {"kind": "elementwise"}, "tenon.targets": ["b"]})
        for i in range(4):
            y[i] = x[i] * 3

    @T.prim_func
    def h1(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        for i in range(4):
            y[i] = x[i] * 5

    @T.prim_func
    def h2(x: T.Buffer((4,), "int32"), z: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        for i in range(4):
            y[i] = x[i] * z[i]

    # One result in two tensors.
    @T.prim_func
    def split(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32"), z: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.op": {"kind": "layout"}, "tenon.targets": ["a"]})
        for i in range(4):
            y[i] = x[i]
        for i in range(4):
            z[i] = 0 - x[i]

    # One half is computed by the other target.
    # CHECK-LABEL: def a_part_of_a_result_does_not_bridge(
    # CHECK: region", "a")
    # CHECK: "split", x.data, l, r)
    # CHECK: region", "b")
    # CHECK: "b1", l, m)
    # CHECK: region", "a")
    # CHECK: "o2", r, m, y.data)
    @T.prim_func
    def a_part_of_a_result_does_not_bridge(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        l = T.allocate([4], "int32", "global")
        r = T.allocate([4], "int32", "global")
        m = T.allocate([4], "int32", "global")
        T.call_extern("int32", "split", x.data, l, r)
        T.call_extern("int32", "b1", l, m)
        T.call_extern("int32", "o2", r, m, y.data)

    # The order of arguments stays.
    # CHECK-LABEL: def both_parts_of_a_result(
    # CHECK: region", "a")
    # CHECK: "split", x.data, l, r)
    # CHECK: "o2", r, l, y.data)
    @T.prim_func
    def both_parts_of_a_result(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        l = T.allocate([4], "int32", "global")
        r = T.allocate([4], "int32", "global")
        T.call_extern("int32", "split", x.data, l, r)
        T.call_extern("int32", "o2", r, l, y.data)

    # One region, although no edge connects the two chains.
    # CHECK-LABEL: def chains_that_share_an_input(
    # CHECK: region", "a")
    # CHECK: "o1", x.data, a)
    # CHECK: "o1", a, b)
    # CHECK: "o1", b, w.data)
    # CHECK: "o1", x.data, c)
    # CHECK: "o1", c, d)
    # CHECK: "o1", d, y.data)
    # CHECK: "h1", x.data, k)
    @T.prim_func
    def chains_that_share_an_input(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32"), w: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        a = T.allocate([4], "int32", "global")
        b = T.allocate([4], "int32", "global")
        k = T.allocate([4], "int32", "global")
        c = T.allocate([4], "int32", "global")
        d = T.allocate([4], "int32", "global")
        T.call_extern("int32", "o1", x.data, a)
        T.call_extern("int32", "o1", a, b)
        T.call_extern("int32", "o1", b, w.data)
        T.call_extern("int32", "h1", x.data, k)
        T.call_extern("int32", "o1", x.data, c)
        T.call_extern("int32", "o1", c, d)
        T.call_extern("int32", "o1", d, y.data)

    # The first two share a region, which has two results; the last cannot be in it.
    # CHECK-LABEL: def diamond_around_a_host_call(
    # CHECK: region", "a")
    # CHECK: "o1", x.data, a)
    # CHECK: "o1", a, b)
    # CHECK: "h1", a, c)
    # CHECK: region", "a")
    # CHECK: "o2", b, c, y.data)
    @T.prim_func
    def diamond_around_a_host_call(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        a = T.allocate([4], "int32", "global")
        b = T.allocate([4], "int32", "global")
        c = T.allocate([4], "int32", "global")
        T.call_extern("int32", "o1", x.data, a)
        T.call_extern("int32", "o1", a, b)
        T.call_extern("int32", "h1", a, c)
        T.call_extern("int32", "o2", b, c, y.data)

    # CHECK-LABEL: def diamond_of_one_target(
    # CHECK: region", "a")
    # CHECK: "o1", x.data, a)
    # CHECK: "o1", a, b)
    # CHECK: "o1", a, c)
    # CHECK: "o2", b, c, y.data)
    @T.prim_func
    def diamond_of_one_target(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        a = T.allocate([4], "int32", "global")
        b = T.allocate([4], "int32", "global")
        c = T.allocate([4], "int32", "global")
        T.call_extern("int32", "o1", x.data, a)
        T.call_extern("int32", "o1", a, b)
        T.call_extern("int32", "o1", a, c)
        T.call_extern("int32", "o2", b, c, y.data)

    # The other target's call is between two regions.
    # CHECK-LABEL: def diamond_of_two_targets(
    # CHECK: region", "a")
    # CHECK: "o1", x.data, a)
    # CHECK: "o1", a, b)
    # CHECK: region", "b")
    # CHECK: "b1", a, c)
    # CHECK: region", "a")
    # CHECK: "o2", b, c, y.data)
    @T.prim_func
    def diamond_of_two_targets(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        a = T.allocate([4], "int32", "global")
        b = T.allocate([4], "int32", "global")
        c = T.allocate([4], "int32", "global")
        T.call_extern("int32", "o1", x.data, a)
        T.call_extern("int32", "o1", a, b)
        T.call_extern("int32", "b1", a, c)
        T.call_extern("int32", "o2", b, c, y.data)

    # Ten calls, three of which stay on the host: two regions of the target.
    # CHECK-LABEL: def example_of_the_rfc(
    # CHECK: "h2", x.data, z.data, n3)
    # CHECK: "h2", z.data, n3, n4)
    # CHECK: region", "a")
    # CHECK: "o2", x.data, z.data, n0)
    # CHECK: "o2", x.data, z.data, n1)
    # CHECK: "o2", n0, n1, n2)
    # CHECK: "o2", n2, n4, n5)
    # CHECK: "o2", z.data, n5, n7)
    # CHECK: "h2", x.data, n5, n6)
    # CHECK: region", "a")
    # CHECK: "o2", n6, n7, w.data)
    # CHECK: "o2", x.data, w.data, y.data)
    @T.prim_func
    def example_of_the_rfc(x: T.Buffer((4,), "int32"), z: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32"), w: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        n0 = T.allocate([4], "int32", "global")
        n1 = T.allocate([4], "int32", "global")
        n2 = T.allocate([4], "int32", "global")
        n3 = T.allocate([4], "int32", "global")
        n4 = T.allocate([4], "int32", "global")
        n5 = T.allocate([4], "int32", "global")
        n6 = T.allocate([4], "int32", "global")
        n7 = T.allocate([4], "int32", "global")
        T.call_extern("int32", "o2", x.data, z.data, n0)
        T.call_extern("int32", "o2", x.data, z.data, n1)
        T.call_extern("int32", "o2", n0, n1, n2)
        T.call_extern("int32", "h2", x.data, z.data, n3)
        T.call_extern("int32", "h2", z.data, n3, n4)
        T.call_extern("int32", "o2", n2, n4, n5)
        T.call_extern("int32", "h2", x.data, n5, n6)
        T.call_extern("int32", "o2", z.data, n5, n7)
        T.call_extern("int32", "o2", n6, n7, w.data)
        T.call_extern("int32", "o2", x.data, w.data, y.data)

    # CHECK-LABEL: def host_calls_between_stay_as_they_are(
    # CHECK: region", "a")
    # CHECK: "o1", x.data, a)
    # CHECK: "h1", a, b)
    # CHECK: "h1", b, c)
    # CHECK: region", "a")
    # CHECK: "o2", a, c, y.data)
    @T.prim_func
    def host_calls_between_stay_as_they_are(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        a = T.allocate([4], "int32", "global")
        b = T.allocate([4], "int32", "global")
        c = T.allocate([4], "int32", "global")
        T.call_extern("int32", "o1", x.data, a)
        T.call_extern("int32", "h1", a, b)
        T.call_extern("int32", "h1", b, c)
        T.call_extern("int32", "o2", a, c, y.data)

    # CHECK-LABEL: def producers_that_would_close_a_cycle(
    # CHECK: region", "a")
    # CHECK: "o1", x.data, a)
    # CHECK: "h1", a, b)
    # CHECK: region", "a")
    # CHECK: "o1", b, c)
    # CHECK: "o2", a, c, y.data)
    @T.prim_func
    def producers_that_would_close_a_cycle(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        a = T.allocate([4], "int32", "global")
        b = T.allocate([4], "int32", "global")
        c = T.allocate([4], "int32", "global")
        T.call_extern("int32", "o1", x.data, a)
        T.call_extern("int32", "h1", a, b)
        T.call_extern("int32", "o1", b, c)
        T.call_extern("int32", "o2", a, c, y.data)

    # CHECK-LABEL: def two_chains_into_one(
    # CHECK: region", "a")
    # CHECK: "o1", x.data, a)
    # CHECK: "o1", a, b)
    # CHECK: "o1", z.data, c)
    # CHECK: "o1", c, d)
    # CHECK: "o2", b, d, y.data)
    @T.prim_func
    def two_chains_into_one(x: T.Buffer((4,), "int32"), z: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        a = T.allocate([4], "int32", "global")
        b = T.allocate([4], "int32", "global")
        c = T.allocate([4], "int32", "global")
        d = T.allocate([4], "int32", "global")
        T.call_extern("int32", "o1", x.data, a)
        T.call_extern("int32", "o1", a, b)
        T.call_extern("int32", "o1", z.data, c)
        T.call_extern("int32", "o1", c, d)
        T.call_extern("int32", "o2", b, d, y.data)

    # Two regions of a, two of b.
    # CHECK-LABEL: def two_targets_in_turn(
    # CHECK: region", "b")
    # CHECK: "b1", z.data, l1)
    # CHECK: region", "a")
    # CHECK: "o2", x.data, z.data, l0)
    # CHECK: "o2", l0, l1, l2)
    # CHECK: "o1", l2, l4)
    # CHECK: region", "b")
    # CHECK: "b1", l2, l3)
    # CHECK: region", "a")
    # CHECK: "o2", l3, l4, l5)
    # CHECK: "o1", l5, y.data)
    @T.prim_func
    def two_targets_in_turn(x: T.Buffer((4,), "int32"), z: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        l0 = T.allocate([4], "int32", "global")
        l1 = T.allocate([4], "int32", "global")
        l2 = T.allocate([4], "int32", "global")
        l3 = T.allocate([4], "int32", "global")
        l4 = T.allocate([4], "int32", "global")
        l5 = T.allocate([4], "int32", "global")
        T.call_extern("int32", "o2", x.data, z.data, l0)
        T.call_extern("int32", "b1", z.data, l1)
        T.call_extern("int32", "o2", l0, l1, l2)
        T.call_extern("int32", "b1", l2, l3)
        T.call_extern("int32", "o1", l2, l4)
        T.call_extern("int32", "o2", l3, l4, l5)
        T.call_extern("int32", "o1", l5, y.data)
