# RUN: tenon-opt %s --pipeline=narrow-lanes --timing 2>%t.counts | FileCheck %s
# RUN: FileCheck %s --check-prefix=COUNT <%t.counts
# RUN: tenon-opt %s --pipeline=narrow-lanes,narrow-lanes | FileCheck %s
# COUNT: {{^ *3 +}}narrow-lanes.stores
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # 255 * 127 + 255 = 32640.
    # CHECK-LABEL: def a_most(
    # CHECK: y[0:16] = T.Cast("int8x16", T.max(T.shift_right(T.Cast("int16x16", x[0:16]) * T.Broadcast(T.int16(127), 16) + T.Broadcast(T.Cast("int16", x[3]), 16), T.Broadcast(T.int16(4), 16)), T.Broadcast(T.int16(-5), 16)))
    @T.prim_func
    def a_most(x: T.Buffer((16,), "uint8"), y: T.Buffer((16,), "int8")):
        y[0:16] = T.Cast("int8x16", T.max(T.shift_right(T.Cast("int32x16", x[0:16]) * T.Broadcast(127, 16) + T.Broadcast(T.Cast("int32", x[3]), 16), T.Broadcast(4, 16)), T.Broadcast(-5, 16)))

    # CHECK-LABEL: def b_choice(
    # CHECK: y[0:16] = T.Cast("uint8x16", T.Select(T.Cast("int16x16", x[0:16]) > T.Broadcast(T.int16(3), 16), T.Cast("int16x16", x[0:16]), T.Broadcast(T.int16(0), 16) - T.Cast("int16x16", z[0:16])))
    # CHECK: w[0:16] = T.Cast("int16x16", T.min(T.Cast("int16x16", w[0:16]), T.Cast("int16x16", x[0:16])))
    @T.prim_func
    def b_choice(x: T.Buffer((16,), "int8"), z: T.Buffer((16,), "int8"), w: T.Buffer((16,), "int16"), y: T.Buffer((16,), "uint8")):
        y[0:16] = T.Cast("uint8x16", T.Select(T.Cast("int32x16", x[0:16]) > T.Broadcast(3, 16), T.Cast("int32x16", x[0:16]), T.Broadcast(0, 16) - T.Cast("int32x16", z[0:16])))
        w[0:16] = T.Cast("int16x16", T.min(T.Cast("int32x16", w[0:16]), T.Cast("int32x16", x[0:16])))

    # One more than int16 holds; a number that is not in 16 bits; a shift that is not constant; a
    # scalar; a cast alone; 32 bits; unsigned 16 bits.
    # CHECK-LABEL: def c_stay(
    # CHECK-NOT: "int16
    # CHECK: T.ret
    @T.prim_func
    def c_stay(x: T.Buffer((16,), "uint8"), u: T.Buffer((16,), "uint16"), y: T.Buffer((16,), "int8"), z: T.Buffer((16,), "int32")) -> T.int32:
        y[0:16] = T.Cast("int8x16", T.shift_right(T.Cast("int32x16", x[0:16]) * T.Broadcast(128, 16) + T.Broadcast(128, 16), T.Broadcast(4, 16)))
        y[0:16] = T.Cast("int8x16", T.min(T.Cast("int32x16", x[0:16]), T.Broadcast(32768, 16)))
        y[0:16] = T.Cast("int8x16", T.shift_right(T.Cast("int32x16", x[0:16]), T.Cast("int32x16", x[0:16])))
        y[0] = T.Cast("int8", T.Cast("int32", x[0]) * 77)
        y[0:16] = T.Cast("int8x16", z[0:16])
        z[0:16] = T.Cast("int32x16", x[0:16]) * T.Broadcast(77, 16)
        y[0:16] = T.Cast("int8x16", T.min(T.Cast("int32x16", u[0:16]), T.Broadcast(5, 16)))
        T.ret(0)
