# Several functions with regions, constants, several targets, operators without a body.
# RUN: tenon-opt %s --split-input-file --pipeline='partition' --verify-roundtrip | FileCheck %s
# RUN: tenon-opt %s --split-input-file --pipeline='partition{bind-constants=inside}' | FileCheck --check-prefix=INSIDE %s
# RUN: tenon-opt %s --split-input-file --pipeline='partition{name=net keep-reasons=true}' | FileCheck --check-prefix=KEEP %s

# The entry and a function that it calls have their own symbols; a front end's name of the entry is
# `main`. Each operator outside a region becomes one external function.
# CHECK-LABEL: class Functions:
# CHECK: def __tvm_main__(
# CHECK: "tvmgen_default_npu_main_0", x.data, a)
# CHECK: "tvmgen_default_npu_main_1", a, b)
# CHECK: "subfunction", b, y.data)
# CHECK: def subfunction(
# CHECK: "tvmgen_default_npu_subfunction_0", x.data, y.data)
# CHECK: def tvmgen_default_npu_main_0(npu_0_i0:
# CHECK: def tvmgen_default_npu_main_1(npu_1_i0:
# CHECK: def tvmgen_default_npu_subfunction_0(npu_0_i0:
# KEEP: tvmgen_net_npu_main_0
@I.ir_module
class Functions:
    @T.prim_func
    def one(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.op": {"kind": "elementwise"}, "tenon.targets": ["npu"]})
        for i in range(4):
            y[i] = x[i] + 1

    @T.prim_func
    def subfunction(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        T.call_extern("int32", "one", x.data, y.data)

    @T.prim_func
    def __tvm_main__(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        a = T.allocate([4], "int32", "global")
        b = T.allocate([4], "int32", "global")
        T.call_extern("int32", "one", x.data, a)
        T.call_extern("int32", "one", a, b)
        T.call_extern("int32", "subfunction", b, y.data)

# -----

# A constant of the caller is an argument, or moves inside: then the function has two parameters.
# The caller keeps constants that the host also uses.
# CHECK-LABEL: class Constants:
# CHECK: def tvmgen_default_npu_main_0(npu_0_i0: T.Buffer((4,), "int32"), npu_0_o0: T.Buffer((4,), "int32"), npu_0_c0: T.Buffer((4,), "int32"), npu_0_c1: T.Buffer((2, 2), "int32")):
# CHECK: def main(
# CHECK: c = T.allocate_const([1, 2, 3, 4], "int32", [4])
# CHECK: d = T.allocate_const([5, 6, 7, 8], "int32", [2, 2])
# CHECK: "tvmgen_default_npu_main_0", x.data, a, c, d)
# INSIDE-LABEL: class Constants:
# INSIDE: def tvmgen_default_npu_main_0(npu_0_i0: T.Buffer((4,), "int32"), npu_0_o0: T.Buffer((4,), "int32")):
# INSIDE: c = T.allocate_const([1, 2, 3, 4], "int32", [4])
# INSIDE: d = T.allocate_const([5, 6, 7, 8], "int32", [2, 2])
# INSIDE: def main(
# INSIDE: c = T.allocate_const([1, 2, 3, 4], "int32", [4])
# INSIDE-NOT: allocate_const
# INSIDE: "tvmgen_default_npu_main_0", x.data, a)
@I.ir_module
class Constants:
    @T.prim_func
    def add(x: T.Buffer((4,), "int32"), z: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        for i in range(4):
            y[i] = x[i] + z[i]

    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        a = T.allocate([4], "int32", "global")
        b = T.allocate([4], "int32", "global")
        c = T.allocate_const([1, 2, 3, 4], "int32", [4])
        d = T.allocate_const([5, 6, 7, 8], "int32", [2, 2])
        with T.attr(0, "tenon.region", "npu"):
            T.call_extern("int32", "add", x.data, c, b)
            T.call_extern("int32", "add", b, d, a)
        T.call_extern("int32", "add", a, c, y.data)

# -----

# Four constants of one operator, as in a concatenation of quantized tensors.
# INSIDE-LABEL: class ManyConstants:
# INSIDE: def tvmgen_default_npu_main_0(
# INSIDE-COUNT-4: T.allocate_const(
# INSIDE: def main(
# INSIDE-NOT: allocate_const
# INSIDE: "tvmgen_default_npu_main_0", x.data, z.data, y.data)
@I.ir_module
class ManyConstants:
    @T.prim_func
    def concat(x: T.Buffer((2,), "int32"), s: T.Buffer((1,), "int32"), p: T.Buffer((1,), "int32"), z: T.Buffer((2,), "int32"), t: T.Buffer((1,), "int32"), q: T.Buffer((1,), "int32"), y: T.Buffer((4,), "int32")):
        for i in range(2):
            y[i] = (x[i] - p[0]) * s[0]
        for i in range(2):
            y[i + 2] = (z[i] - q[0]) * t[0]

    @T.prim_func
    def main(x: T.Buffer((2,), "int32"), z: T.Buffer((2,), "int32"), y: T.Buffer((4,), "int32")):
        s = T.allocate_const([3], "int32", [1])
        p = T.allocate_const([1], "int32", [1])
        t = T.allocate_const([2], "int32", [1])
        q = T.allocate_const([7], "int32", [1])
        with T.attr(0, "tenon.region", "npu"):
            T.call_extern("int32", "concat", x.data, s, p, z.data, t, q, y.data)

# -----

# Two targets call one operator: the second gets a copy. One target twice: one operator, two calls.
# Targets and reasons are removed from the operator, unless reasons are kept; an external function
# lists its possible targets.
# CHECK-LABEL: class Targets:
# CHECK: def one(
# CHECK-NEXT: T.func_attr({"tenon.op": {"kind": "elementwise"}})
# CHECK: def one_npu_1(
# CHECK: def tvmgen_default_npu_0_main_0(npu_0_0_i0:
# CHECK-NEXT: T.func_attr({"Compiler": "npu:0", "tenon.targets": ["npu:0", "npu:1"]
# CHECK-NEXT: "one", npu_0_0_i0.data
# CHECK: def tvmgen_default_npu_0_main_2(
# CHECK: "one", npu_0_2_i0.data
# CHECK: def tvmgen_default_npu_1_main_1(
# CHECK-NEXT: T.func_attr({"Compiler": "npu:1", "tenon.targets": ["npu:1", "npu:0"]
# CHECK-NEXT: "one_npu_1", npu_1_1_i0.data
# CHECK: def main(
# CHECK-NOT: tenon.region
# CHECK: "one", c, y.data
# KEEP-LABEL: class Targets:
# KEEP: "tenon.op": {"kind": "elementwise"}, "tenon.why_not": {"gpu": "too small"}
# KEEP: T.attr("npu:0: below min-macs", "tenon.region", "host")
# KEEP-NEXT: "one", c, y.data
@I.ir_module
class Targets:
    @T.prim_func
    def one(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.op": {"kind": "elementwise"}, "tenon.targets": ["npu:0", "npu:1"], "tenon.why_not": {"gpu": "too small"}})
        for i in range(4):
            y[i] = x[i] + 1

    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        a = T.allocate([4], "int32", "global")
        b = T.allocate([4], "int32", "global")
        c = T.allocate([4], "int32", "global")
        with T.attr(0, "tenon.region", "npu:0"):
            T.call_extern("int32", "one", x.data, a)
        with T.attr(0, "tenon.region", "npu:1"):
            T.call_extern("int32", "one", a, b)
        with T.attr(0, "tenon.region", "npu:0"):
            T.call_extern("int32", "one", b, c)
        with T.attr("npu:0: below min-macs", "tenon.region", "host"):
            T.call_extern("int32", "one", c, y.data)

# -----

# Operators without a body are called from the external function, or stay in place.
# CHECK-LABEL: class WithoutBody:
# CHECK-NEXT: I.module_attrs({"tenon.externs": {"rank": ["r", "o"], "sort": ["r", "o"]}, "tenon.ops": {"rank": {"kind": "rank"}, "sort": {"kind": "sort"}}})
# CHECK: def tvmgen_default_npu_main_0(
# CHECK: "sort", npu_0_i0.data, a)
# CHECK: "one", a, npu_0_o0.data)
# CHECK: def main(
# CHECK: "tvmgen_default_npu_main_0", x.data, b)
# CHECK: "rank", b, y.data)
@I.ir_module
class WithoutBody:
    I.module_attrs({"tenon.externs": {"rank": ["r", "o"], "sort": ["r", "o"]}, "tenon.ops": {"rank": {"kind": "rank"}, "sort": {"kind": "sort"}}, "tenon.targets": {"sort": ["npu"]}})

    @T.prim_func
    def one(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.op": {"kind": "elementwise"}, "tenon.targets": ["npu"]})
        for i in range(4):
            y[i] = x[i] + 1

    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        a = T.allocate([4], "int32", "global")
        b = T.allocate([4], "int32", "global")
        with T.attr(0, "tenon.region", "npu"):
            T.call_extern("int32", "sort", x.data, a)
            T.call_extern("int32", "one", a, b)
        T.call_extern("int32", "rank", b, y.data)
