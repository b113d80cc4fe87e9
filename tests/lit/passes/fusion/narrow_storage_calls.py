# RUN: tenon-opt %s --pipeline=narrow-storage | FileCheck %s
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("w", [1, 2, 3, -4], "int16", [4]),
                                        I.constant("v", [1, 2, 3, 4000], "int32", [4]),
                                        I.constant("whole", [1, 2, 3, 4], "int32", [4]),
                                        I.constant("part", I.slice("whole", 4), "int32", [2]),
                                        I.constant("held", [1, 2, 3, 4], "int32", [4], address_significant=True)]})
    # Types of parameters, arguments and allocations change together. The caller has bytes.
    @T.prim_func
    def main(x: T.Buffer((100,), "int32"), y: T.Buffer((100,), "int32")):
        T.func_attr({"global_symbol": "main"})
        a = T.allocate([400], "int8", "global.workspace")
        b = T.allocate([400], "int8", "global.workspace")
        one = T.allocate([400], "int8", "global.workspace")
        other = T.allocate([400], "int8", "global.workspace")
        T.evaluate(T.call_extern("int32", "clip", x.data, a))
        T.evaluate(T.call_extern("int32", "copy", a, b))
        T.evaluate(T.call_extern("int32", "add", a, b, one))
        # If one of the calls cannot take a type, none does.
        T.evaluate(T.call_extern("int32", "copy_both", one, other))
        T.evaluate(T.call_extern("int32", "copy_both", other, y.data))

    @T.prim_func
    def clip(p0: T.Buffer((100,), "int32"), p1: T.Buffer((100,), "int32")):
        for i in range(100):
            p1[i] = T.max(T.min(p0[i], 127), -128)

    @T.prim_func
    def copy(p0: T.Buffer((100,), "int32"), p1: T.Buffer((100,), "int32")):
        for i in range(100):
            p1[i] = p0[i]

    @T.prim_func
    def add(p0: T.Buffer((100,), "int32"), p1: T.Buffer((100,), "int32"), p2: T.Buffer((100,), "int32")):
        w = T.allocate_const(I.constant("w"), "int16", [4])
        w_1 = T.Buffer((4,), "int16", data=w)
        for i in range(100):
            p2[i] = p0[i] * T.Cast("int32", w_1[i % 4]) + p1[i]

    @T.prim_func
    def copy_both(p0: T.Buffer((100,), "int32"), p1: T.Buffer((100,), "int32")):
        w = T.allocate_const(I.constant("w"), "int16", [4])
        v = T.allocate_const(I.constant("v"), "int32", [4])
        part = T.allocate_const(I.constant("part"), "int32", [2])
        held = T.allocate_const(I.constant("held"), "int32", [4])
        w_1 = T.Buffer((4,), "int16", data=w)
        part_1 = T.Buffer((2,), "int32", data=part)
        held_1 = T.Buffer((4,), "int32", data=held)
        for i in range(100):
            p1[i] = p0[i]
        T.evaluate(T.call_extern("int32", "scale", v, p1.data))
        for i in range(2):
            p1[i] = T.Cast("int32", w_1[i]) + part_1[i] + held_1[i]

    @T.prim_func
    def scale(p0: T.Buffer((4,), "int32"), p1: T.Buffer((100,), "int32")):
        for i in range(100):
            p1[i] = p1[i] * p0[i % 4]

# CHECK: I.constant("w", [1, 2, 3, -4], "int8", [4])
# CHECK-SAME: I.constant("v", [1, 2, 3, 4000], "int16", [4])
# CHECK-SAME: I.constant("whole", [1, 2, 3, 4], "int32", [4])
# CHECK-SAME: I.constant("part", I.slice("whole", 4), "int32", [2])
# CHECK-SAME: I.constant("held", [1, 2, 3, 4], "int32", [4]
# CHECK-LABEL: def add(p0: T.Buffer((100,), "int8"), p1: T.Buffer((100,), "int8"), p2: T.Buffer((100,), "int32")):
# CHECK: w = T.allocate_const(I.constant("w"), "int8", [4])
# CHECK: p2[i] = T.Cast("int32", p0[i]) * T.Cast("int32", w_1[i % 4]) + T.Cast("int32", p1[i])
# CHECK-LABEL: def clip(p0: T.Buffer((100,), "int32"), p1: T.Buffer((100,), "int8")):
# CHECK: p1[i] = T.Cast("int8", T.max(T.min(p0[i], 127), -128))
# CHECK-LABEL: def copy(p0: T.Buffer((100,), "int8"), p1: T.Buffer((100,), "int8")):
# CHECK: p1[i] = p0[i]
# CHECK-LABEL: def copy_both(p0: T.Buffer((100,), "int32"), p1: T.Buffer((100,), "int32")):
# CHECK-LABEL: def scale(p0: T.Buffer((4,), "int16"), p1: T.Buffer((100,), "int32")):
# CHECK-LABEL: def main(x: T.Buffer((100,), "int32"), y: T.Buffer((100,), "int32")):
# CHECK: a = T.allocate([100], "int8", "global.workspace")
# CHECK: b = T.allocate([100], "int8", "global.workspace")
# CHECK: one = T.allocate([400], "int8", "global.workspace")
# CHECK: other = T.allocate([400], "int8", "global.workspace")
