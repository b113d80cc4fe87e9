# The function of a region: its name, its parameters, its memory.
# RUN: tenon-opt %s --pipeline=partition --verify-roundtrip -o %t.py
# The host has no other call of a function with `x`, and no scope.
# RUN: FileCheck %s --implicit-check-not='", x.data' --implicit-check-not=tenon.region < %t.py
# RUN: FileCheck --check-prefix=MADE %s < %t.py
# RUN: tenon-opt %t.py --pipeline=partition --compare %t.py | FileCheck --check-prefix=AGAIN %s
# AGAIN: equal

from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func
    def o1(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.op": {"kind": "elementwise"}})
        for i in range(4):
            y[i] = x[i] + 1

    @T.prim_func
    def o2(x: T.Buffer((4,), "int32"), z: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.op": {"kind": "elementwise"}})
        for i in range(4):
            y[i] = x[i] - z[i]

    @T.prim_func
    def flip(y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.op": {"kind": "elementwise"}})
        for i in range(4):
            y[i] = 1 - y[i]

    @T.prim_func
    def h1(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        for i in range(4):
            y[i] = x[i] * 5

    # Three results, as of a batch normalization.
    @T.prim_func
    def norm(x: T.Buffer((4,), "int32"), g: T.Buffer((4,), "int32"), b: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32"), mean: T.Buffer((4,), "int32"), var: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.op": {"kind": "elementwise"}})
        for i in range(4):
            y[i] = x[i] * g[i] + b[i]
        for i in range(4):
            mean[i] = x[i] + 2
        for i in range(4):
            var[i] = x[i] + 3

    @T.prim_func
    def split(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32"), z: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.op": {"kind": "layout"}})
        for i in range(4):
            y[i] = x[i]
        for i in range(4):
            z[i] = 0 - x[i]

    # A tensor of other extents.
    @T.prim_func
    def flat(x: T.Buffer((2, 2), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.op": {"kind": "layout"}})
        for i in range(4):
            y[i] = x[i // 2, i % 2]

    @T.prim_func
    def half(x: T.Buffer((2,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.op": {"kind": "elementwise"}})
        for i in range(2):
            y[i] = x[i]

    @T.prim_func
    def scaled(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32"), k: T.int32):
        T.func_attr({"tenon.op": {"kind": "elementwise"}})
        for i in range(4):
            y[i] = x[i] * k

    # Two regions around a call of the host: the first has two outputs, the second two inputs.
    # CHECK-LABEL: def diamond(
    # CHECK: "tvmgen_default_t_diamond_0", x.data, a, b)
    # CHECK: "h1", a, c)
    # CHECK: "tvmgen_default_t_diamond_1", b, c, y.data)
    # MADE-LABEL: def tvmgen_default_t_diamond_0(t_0_i0: T.Buffer((4,), "int32"), t_0_o0: T.Buffer((4,), "int32"), t_0_o1: T.Buffer((4,), "int32")):
    # MADE-NEXT: T.func_attr({"Compiler": "t", "tenon.targets": ["t"], "tir.noalias": T.bool(True)})
    # MADE: "o1", t_0_i0.data, t_0_o0.data)
    # MADE-NEXT: "o1", t_0_o0.data, t_0_o1.data)
    # MADE-LABEL: def tvmgen_default_t_diamond_1(t_1_i0: T.Buffer((4,), "int32"), t_1_i1: T.Buffer((4,), "int32"), t_1_o0: T.Buffer((4,), "int32")):
    # MADE: "o2", t_1_i0.data, t_1_i1.data, t_1_o0.data)
    @T.prim_func
    def diamond(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        a = T.allocate([4], "int32", "global")
        b = T.allocate([4], "int32", "global")
        c = T.allocate([4], "int32", "global")
        with T.attr(0, "tenon.region", "t"):
            T.call_extern("int32", "o1", x.data, a)
            T.call_extern("int32", "o1", a, b)
        T.call_extern("int32", "h1", a, c)
        with T.attr(0, "tenon.region", "t"):
            T.call_extern("int32", "o2", b, c, y.data)

    # The region reads the first tensor of the memory and writes the second.
    # CHECK-LABEL: def from_the_memory_of_another(
    # CHECK: "h1", x.data, a)
    # CHECK: "tvmgen_default_t_from_the_memory_of_another_0", x.data, a, y.data)
    # CHECK: "h1", a, y.data)
    # MADE-LABEL: def tvmgen_default_t_from_the_memory_of_another_0(t_0_i0: T.Buffer((4,), "int32"), t_0_io0: T.Buffer((4,), "int32"), t_0_o0: T.Buffer((4,), "int32")):
    # MADE: "o1", t_0_io0.data, t_0_o0.data)
    # MADE-NEXT: "o1", t_0_i0.data, t_0_io0.data)
    @T.prim_func
    def from_the_memory_of_another(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        a = T.allocate([4], "int32", "global")
        T.call_extern("int32", "h1", x.data, a)
        with T.attr(0, "tenon.region", "t"):
            T.call_extern("int32", "o1", a, y.data)
            T.call_extern("int32", "o1", x.data, a)
        T.call_extern("int32", "h1", a, y.data)

    # Pointers into a tensor: the tensor is the parameter.
    # CHECK-LABEL: def halves(
    # CHECK: "tvmgen_default_t_halves_0", x.data, y.data)
    # MADE-LABEL: def tvmgen_default_t_halves_0(t_0_i0: T.Buffer((4,), "int32"), t_0_io0: T.Buffer((4,), "int32")):
    # MADE: v = T.Buffer((4,), "int32", data=t_0_i0.data)
    # MADE-NEXT: "half", T.address_of(v[2]), t_0_io0.data)
    @T.prim_func
    def halves(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        v = T.Buffer((4,), "int32", data=x.data)
        with T.attr(0, "tenon.region", "t"):
            T.call_extern("int32", "half", T.address_of(v[2]), y.data)

    # A null handle stays inside.
    # CHECK-LABEL: def handle_of_a_device(
    # CHECK: "tvmgen_default_t_handle_of_a_device_0", x.data, y.data)
    # MADE-LABEL: def tvmgen_default_t_handle_of_a_device_0(t_0_i0: T.Buffer((4,), "int32"), t_0_o0: T.Buffer((4,), "int32")):
    # MADE: T.call_cpacked("o1", t_0_i0.data, t_0_o0.data, T.reinterpret("handle", T.uint64(0)))
    @T.prim_func
    def handle_of_a_device(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        with T.attr(0, "tenon.region", "t"):
            T.call_cpacked("o1", x.data, y.data, T.reinterpret("handle", T.uint64(0)))

    # A loop or branch has separate regions.
    # CHECK-LABEL: def in_a_branch(
    # CHECK: if x[0] > 0:
    # CHECK: "tvmgen_default_t_in_a_branch_0", x.data, y.data)
    # CHECK: else:
    # CHECK: "tvmgen_default_t_in_a_branch_1", y.data)
    # MADE-LABEL: def tvmgen_default_t_in_a_branch_0(t_0_i0: T.Buffer((4,), "int32"), t_0_o0: T.Buffer((4,), "int32")):
    # MADE: "o1", t_0_i0.data, t_0_o0.data)
    # MADE-LABEL: def tvmgen_default_t_in_a_branch_1(t_1_io0: T.Buffer((4,), "int32")):
    # MADE: "flip", t_1_io0.data)
    @T.prim_func
    def in_a_branch(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        if x[0] > 0:
            with T.attr(0, "tenon.region", "t"):
                T.call_extern("int32", "o1", x.data, y.data)
        else:
            with T.attr(0, "tenon.region", "t"):
                T.call_extern("int32", "flip", y.data)

    # A tensor that is read and written is one parameter, after the inputs.
    # CHECK-LABEL: def in_place(
    # CHECK: "h1", x.data, y.data)
    # CHECK: "tvmgen_default_t_in_place_0", x.data, y.data)
    # MADE-LABEL: def tvmgen_default_t_in_place_0(t_0_i0: T.Buffer((4,), "int32"), t_0_io0: T.Buffer((4,), "int32")):
    # MADE: "flip", t_0_io0.data)
    # MADE-NEXT: "o2", t_0_i0.data, t_0_io0.data, t_0_io0.data)
    @T.prim_func
    def in_place(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        T.call_extern("int32", "h1", x.data, y.data)
        with T.attr(0, "tenon.region", "t"):
            T.call_extern("int32", "flip", y.data)
            T.call_extern("int32", "o2", x.data, y.data, y.data)

    # Main keeps two tensors in one memory. Only the region uses the first, which gets separate memory; the host uses the second.
    # CHECK-LABEL: def memory_used_twice(
    # CHECK: "tvmgen_default_t_memory_used_twice_0", x.data, y.data)
    # CHECK: "h1", x.data, a)
    # CHECK: "h1", a, z.data)
    # MADE-LABEL: def tvmgen_default_t_memory_used_twice_0(t_0_i0: T.Buffer((4,), "int32"), t_0_o0: T.Buffer((4,), "int32")):
    # MADE: a = T.allocate([4], "int32", "global")
    # MADE-NEXT: "o1", t_0_i0.data, a)
    # MADE-NEXT: "o1", a, t_0_o0.data)
    @T.prim_func
    def memory_used_twice(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32"), z: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        a = T.allocate([4], "int32", "global")
        with T.attr(0, "tenon.region", "t"):
            T.call_extern("int32", "o1", x.data, a)
            T.call_extern("int32", "o1", a, y.data)
        T.call_extern("int32", "h1", x.data, a)
        T.call_extern("int32", "h1", a, z.data)

    # They come last.
    # CHECK-LABEL: def numbers_and_handles(
    # CHECK: for k in range(2):
    # CHECK: "tvmgen_default_t_numbers_and_handles_0", x.data, y.data, k)
    # MADE-LABEL: def tvmgen_default_t_numbers_and_handles_0(t_0_i0: T.Buffer((4,), "int32"), t_0_o0: T.Buffer((4,), "int32"), k: T.int32):
    # MADE: "scaled", t_0_i0.data, t_0_o0.data, k)
    @T.prim_func
    def numbers_and_handles(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for k in range(2):
            with T.attr(0, "tenon.region", "t"):
                T.call_extern("int32", "scaled", x.data, y.data, k)

    # The parameter has the shape that the operator declares, if the sizes in bytes are equal.
    # CHECK-LABEL: def shape_of_the_operator(
    # CHECK: "h1", x.data, a)
    # CHECK: "tvmgen_default_t_shape_of_the_operator_0", a, y.data)
    # MADE-LABEL: def tvmgen_default_t_shape_of_the_operator_0(t_0_i0: T.Buffer((2, 2), "int32"), t_0_o0: T.Buffer((4,), "int32")):
    # MADE: "flat", t_0_i0.data, t_0_o0.data)
    @T.prim_func
    def shape_of_the_operator(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        a = T.allocate([16], "int8", "global")
        T.call_extern("int32", "h1", x.data, a)
        with T.attr(0, "tenon.region", "t"):
            T.call_extern("int32", "flat", a, y.data)

    # Outputs of several results are flat.
    # CHECK-LABEL: def split_and_join(
    # CHECK: "tvmgen_default_t_split_and_join_0", x.data, l.data, r.data, y.data)
    # MADE-LABEL: def tvmgen_default_t_split_and_join_0(t_0_i0: T.Buffer((4,), "int32"), t_0_o0: T.Buffer((4,), "int32"), t_0_o1: T.Buffer((4,), "int32"), t_0_o2: T.Buffer((4,), "int32")):
    # MADE: "split", t_0_i0.data, t_0_o0.data, t_0_o1.data)
    # MADE-NEXT: "o1", t_0_o0.data, t_0_o2.data)
    @T.prim_func
    def split_and_join(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32"), l: T.Buffer((4,), "int32"), r: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        with T.attr(0, "tenon.region", "t"):
            T.call_extern("int32", "split", x.data, l.data, r.data)
            T.call_extern("int32", "o1", l.data, y.data)

    # The status of a call is checked if that of a call in the region was.
    # CHECK-LABEL: def status(
    # CHECK-NOT: T.allocate(
    # CHECK: T.tvm_check_return(0, -1, {{.*}}, "tvmgen_default_t_status_0", x.data, y.data))
    # MADE-LABEL: def tvmgen_default_t_status_0(t_0_i0: T.Buffer((4,), "int32"), t_0_o0: T.Buffer((4,), "int32")):
    # MADE: a = T.allocate([4], "int32", "global")
    # MADE-NEXT: "o1", t_0_i0.data, a)
    # MADE-NEXT: T.tvm_check_return(0, -1, {{.*}}, "o1", a, t_0_o0.data))
    @T.prim_func
    def status(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        a = T.allocate([4], "int32", "global")
        with T.attr(0, "tenon.region", "t"):
            T.call_extern("int32", "o1", x.data, a)
            T.tvm_check_return(0, -1, T.call_extern("int32", "o1", a, y.data))

    # CHECK-LABEL: def sum_and_difference(
    # CHECK: "tvmgen_default_t_sum_and_difference_0", x.data, z.data, y.data, w.data)
    # MADE-LABEL: def tvmgen_default_t_sum_and_difference_0(t_0_i0: T.Buffer((4,), "int32"), t_0_i1: T.Buffer((4,), "int32"), t_0_o0: T.Buffer((4,), "int32"), t_0_o1: T.Buffer((4,), "int32")):
    # MADE: "o2", t_0_i0.data, t_0_i1.data, t_0_o0.data)
    # MADE-NEXT: "o2", t_0_i1.data, t_0_i0.data, t_0_o1.data)
    @T.prim_func
    def sum_and_difference(x: T.Buffer((4,), "int32"), z: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32"), w: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        with T.attr(0, "tenon.region", "t"):
            T.call_extern("int32", "o2", x.data, z.data, y.data)
            T.call_extern("int32", "o2", z.data, x.data, w.data)

    # A region of two operators: three distinct inputs, and the results in order of first use. Only it reads the intermediate.
    # CHECK-LABEL: def three_results(
    # CHECK-NOT: T.allocate(
    # CHECK: "tvmgen_default_t_three_results_0", x.data, g.data, b.data, m.data, v.data, y.data)
    # MADE-LABEL: def tvmgen_default_t_three_results_0(t_0_i0: T.Buffer((4,), "int32"), t_0_i1: T.Buffer((4,), "int32"), t_0_i2: T.Buffer((4,), "int32"), t_0_o0: T.Buffer((4,), "int32"), t_0_o1: T.Buffer((4,), "int32"), t_0_o2: T.Buffer((4,), "int32")):
    # MADE: a = T.allocate([4], "int32", "global")
    # MADE-NEXT: n = T.allocate([4], "int32", "global")
    # MADE-NEXT: "norm", t_0_i0.data, t_0_i1.data, t_0_i2.data, a, t_0_o0.data, t_0_o1.data)
    # MADE-NEXT: "o1", a, n)
    # MADE-NEXT: "o2", n, t_0_i1.data, t_0_o2.data)
    @T.prim_func
    def three_results(x: T.Buffer((4,), "int32"), g: T.Buffer((4,), "int32"), b: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32"), m: T.Buffer((4,), "int32"), v: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        a = T.allocate([4], "int32", "global")
        n = T.allocate([4], "int32", "global")
        with T.attr(0, "tenon.region", "t"):
            T.call_extern("int32", "norm", x.data, g.data, b.data, a, m.data, v.data)
            T.call_extern("int32", "o1", a, n)
            T.call_extern("int32", "o2", n, g.data, y.data)

    # One parameter.
    # CHECK-LABEL: def twice_the_same_input(
    # CHECK: "tvmgen_default_t_twice_the_same_input_0", x.data, y.data)
    # MADE-LABEL: def tvmgen_default_t_twice_the_same_input_0(t_0_i0: T.Buffer((4,), "int32"), t_0_o0: T.Buffer((4,), "int32")):
    # MADE: "o2", t_0_i0.data, t_0_i0.data, t_0_o0.data)
    @T.prim_func
    def twice_the_same_input(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        with T.attr(0, "tenon.region", "t"):
            T.call_extern("int32", "o2", x.data, x.data, y.data)

    # The intermediate tensor is an output, because the host reads it; it is not an input.
    # CHECK-LABEL: def used_outside_and_inside(
    # CHECK: "tvmgen_default_t_used_outside_and_inside_0", x.data, a, y.data)
    # CHECK: "h1", a, z.data)
    # MADE-LABEL: def tvmgen_default_t_used_outside_and_inside_0(t_0_i0: T.Buffer((4,), "int32"), t_0_o0: T.Buffer((4,), "int32"), t_0_o1: T.Buffer((4,), "int32")):
    # MADE: "o1", t_0_i0.data, t_0_o0.data)
    # MADE-NEXT: "o1", t_0_o0.data, t_0_o1.data)
    @T.prim_func
    def used_outside_and_inside(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32"), z: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        a = T.allocate([16], "int8", "global")
        with T.attr(0, "tenon.region", "t"):
            T.call_extern("int32", "o1", x.data, a)
            T.call_extern("int32", "o1", a, y.data)
        T.call_extern("int32", "h1", a, z.data)

    # A result that three calls use is one output.
    # CHECK-LABEL: def used_three_times(
    # CHECK: "tvmgen_default_t_used_three_times_0", x.data, a)
    # CHECK: "h1", a, y.data)
    # CHECK: "h1", a, z.data)
    # CHECK: "h1", a, w.data)
    # MADE-LABEL: def tvmgen_default_t_used_three_times_0(t_0_i0: T.Buffer((4,), "int32"), t_0_o0: T.Buffer((4,), "int32")):
    # MADE: "o1", t_0_i0.data, t_0_o0.data)
    @T.prim_func
    def used_three_times(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32"), z: T.Buffer((4,), "int32"), w: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        a = T.allocate([16], "int8", "global")
        with T.attr(0, "tenon.region", "t"):
            T.call_extern("int32", "o1", x.data, a)
        T.call_extern("int32", "h1", a, y.data)
        T.call_extern("int32", "h1", a, z.data)
        T.call_extern("int32", "h1", a, w.data)

    # The host's value is one input, even if several operators use it.
    # CHECK-LABEL: def value_used_three_times(
    # CHECK-NOT: {{[ls]}} = T.allocate(
    # CHECK: "h1", x.data, a)
    # CHECK: "tvmgen_default_t_value_used_three_times_0", a, x.data, y.data)
    # MADE-LABEL: def tvmgen_default_t_value_used_three_times_0(t_0_i0: T.Buffer((4,), "int32"), t_0_i1: T.Buffer((4,), "int32"), t_0_o0: T.Buffer((4,), "int32")):
    # MADE: l = T.allocate([4], "int32", "global")
    # MADE-NEXT: s = T.allocate([4], "int32", "global")
    # MADE-NEXT: "o1", t_0_i0.data, l)
    # MADE-NEXT: "o2", t_0_i0.data, t_0_i1.data, s)
    # MADE-NEXT: "o2", l, s, t_0_o0.data)
    @T.prim_func
    def value_used_three_times(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        a = T.allocate([4], "int32", "global")
        l = T.allocate([4], "int32", "global")
        s = T.allocate([4], "int32", "global")
        T.call_extern("int32", "h1", x.data, a)
        with T.attr(0, "tenon.region", "t"):
            T.call_extern("int32", "o1", a, l)
            T.call_extern("int32", "o2", a, x.data, s)
            T.call_extern("int32", "o2", l, s, y.data)

    # Only one operator; a name that is not a valid symbol is changed to a valid one.
    # CHECK-LABEL: def wild_name(
    # CHECK: "tvmgen_default_unsanitary_name___wild_name_0", x.data, a)
    # CHECK: "h1", a, y.data)
    # MADE-LABEL: def tvmgen_default_unsanitary_name___wild_name_0(unsanitary_name___0_i0: T.Buffer((4,), "int32"), unsanitary_name___0_o0: T.Buffer((4,), "int32")):
    # MADE-NEXT: T.func_attr({"Compiler": "unsanitary-name++", "tenon.targets": ["unsanitary-name++"], "tir.noalias": T.bool(True)})
    # MADE: "o1_unsanitary_name__", unsanitary_name___0_i0.data, unsanitary_name___0_o0.data)
    @T.prim_func
    def wild_name(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        a = T.allocate([4], "int32", "global")
        with T.attr(0, "tenon.region", "unsanitary-name++"):
            T.call_extern("int32", "o1", x.data, a)
        T.call_extern("int32", "h1", a, y.data)
