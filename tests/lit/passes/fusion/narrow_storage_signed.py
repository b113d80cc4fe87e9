# RUN: tenon-opt %s --pipeline=narrow-storage{signed=true} | FileCheck %s
# RUN: tenon-opt %s --pipeline=narrow-storage | FileCheck %s --check-prefix=ANY
# Parameters, arguments and allocations become int8, which the readers shift: a module of calls for
# kernels that take int8 and an offset.
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # The value minus its zero point: the value itself is stored.
    # CHECK-LABEL: def clip({{.*}}, p1: T.Buffer((100,), "int8"))
    # CHECK: p1[i] = T.Cast("int8", T.max(T.min(p0[i], 127), -128))
    @T.prim_func
    def clip(p0: T.Buffer((100,), "int32"), p1: T.Buffer((100,), "int16")):
        for i in range(100):
            p1[i] = T.Cast("int16", T.max(T.min(p0[i], 127), -128)) - T.int16(-128)

    # CHECK-LABEL: def read(p0: T.Buffer((100,), "int8")
    # CHECK: p1[i] = T.Cast("int32", p0[i]) + 128
    @T.prim_func
    def read(p0: T.Buffer((100,), "int32"), p1: T.Buffer((100,), "int32")):
        for i in range(100):
            p1[i] = p0[i]

    # Numbers of 0 to 255 get an offset.
    # CHECK-LABEL: def wide(p0: T.Buffer((100,), "int8"), p1: T.Buffer((100,), "int8"))
    @T.prim_func
    def wide(p0: T.Buffer((100,), "int16"), p1: T.Buffer((100,), "int32")):
        w = T.allocate_const([0, 200], "int32", [2])
        w_1 = T.Buffer((2,), "int32", data=w)
        # CHECK: T.allocate_const([0, 200], "int16", [2])
        # ANY: T.allocate_const([0, 200], "uint8", [2])
        for i in range(100):
            p1[i] = T.max(T.min(T.Cast("int32", p0[i]) + w_1[i % 2], 255), 0)

    # CHECK-LABEL: def main(
    # CHECK: a = T.allocate([100], "int8", "global.workspace")
    # CHECK: b = T.allocate([100], "int8", "global.workspace")
    # ANY-LABEL: def main(
    # ANY: a = T.allocate([100], "uint8", "global.workspace")
    # ANY: b = T.allocate([100], "uint8", "global.workspace")
    @T.prim_func
    def main(x: T.Buffer((100,), "int32"), y: T.Buffer((100,), "int32")):
        a = T.allocate([100], "int16", "global.workspace")
        b = T.allocate([100], "int32", "global.workspace")
        T.evaluate(T.call_extern("int32", "clip", x.data, a))
        T.evaluate(T.call_extern("int32", "wide", a, b))
        T.evaluate(T.call_extern("int32", "read", b, y.data))
