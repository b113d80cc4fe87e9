from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer((1, 5, 6, 2), "int8"), y: T.Buffer((1, 3), "float32")):
        a = T.allocate([90], "int16", "global")
        b = T.allocate([90], "int16", "global")
        c = T.allocate([36], "int8", "global")
        d = T.allocate([6], "int16", "global")
        T.tvm_check_return(0, -1, T.call_extern("int32", "conv", x.data, a))
        T.tvm_check_return(0, -1, T.call_extern("int32", "depthwise", a, b))
        T.tvm_check_return(0, -1, T.call_extern("int32", "strided", b, c))
        T.tvm_check_return(0, -1, T.call_extern("int32", "mean", c, d))
        T.tvm_check_return(0, -1, T.call_extern("int32", "dense", d, y.data))

    # A convolution with a border on all sides, whose result is stored minus its zero point.
    @T.prim_func
    def conv(x: T.Buffer((1, 5, 6, 2), "int8"), y: T.Buffer((1, 5, 6, 3), "int16")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([3, -4, 5, 6, -7, 8, 9, 1, 2, 3, 4, -5, 6, 7, 8, -9, 1, -2, 3, -4, 5, 6, -7, 8, 9, 1, 2, 3, 4, -5, 6, 7, 8, -9, 1, -2, 13, -14, 15, 16, -17, 18, 19, 11, 12, 13, 14, -15, 16, 17, 18, -19, 11, -12], "int16", [54])
        bias = T.allocate_const([100, -200, 300], "int32", [3])
        m = T.allocate_const([1073741824, 1513141725, 2041219000], "int32", [3])
        r = T.allocate_const([3, 4, 35], "int32", [3])
        acc = T.allocate([1], "int32", "global")
        w_1 = T.Buffer((54,), "int16", data=w)
        bias_1 = T.Buffer((3,), "int32", data=bias)
        m_1 = T.Buffer((3,), "int32", data=m)
        r_1 = T.Buffer((3,), "int32", data=r)
        acc_1 = T.Buffer((1,), "int32", data=acc)
        x_1 = T.Buffer((60,), "int8", data=x.data)
        y_1 = T.Buffer((90,), "int16", data=y.data)
        for h, v, o in T.grid(5, 6, 3):
            acc_1[0] = 0
            for kh, kw, i in T.grid(3, 3, 2):
                acc_1[0] = acc_1[0] + T.Cast("int32", T.if_then_else(1 <= h + kh and h + kh < 6 and 1 <= v + kw and v + kw < 7, T.Cast("int16", x_1[h * 12 + v * 2 + kh * 12 + kw * 2 + i - 14]) - T.int16(-7), T.int16(0))) * T.Cast("int32", w_1[kh * 18 + kw * 6 + i * 3 + o])
            y_1[h * 18 + v * 3 + o] = T.Cast("int16", T.max(T.min(T.q_multiply_shift_per_axis(acc_1[0] + bias_1[o], m_1[o], 0, r_1[o], 31, T.bool(False), T.bool(True)) + 11, 127), -128)) - T.int16(11)

    # A depthwise convolution without a bias.
    @T.prim_func
    def depthwise(x: T.Buffer((1, 5, 6, 3), "int16"), y: T.Buffer((1, 5, 6, 3), "int16")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([3, -4, 5, 6, -7, 8, 9, 1, 2, 3, 4, -5, 6, 7, 8], "int8", [15])
        m = T.allocate_const([1073741825, 1513141725, 2041219000], "int32", [3])
        r = T.allocate_const([4, 3, 5], "int32", [3])
        acc = T.allocate([1], "int32", "global")
        w_1 = T.Buffer((15,), "int8", data=w)
        m_1 = T.Buffer((3,), "int32", data=m)
        r_1 = T.Buffer((3,), "int32", data=r)
        acc_1 = T.Buffer((1,), "int32", data=acc)
        x_1 = T.Buffer((90,), "int16", data=x.data)
        y_1 = T.Buffer((90,), "int16", data=y.data)
        for h, v, o in T.grid(5, 6, 3):
            acc_1[0] = 0
            for kh in range(5):
                acc_1[0] = acc_1[0] + T.Cast("int32", T.if_then_else(2 <= h + kh and h + kh < 7, x_1[h * 18 + v * 3 + kh * 18 + o - 36], T.int16(0))) * T.Cast("int32", w_1[kh * 3 + o])
            y_1[h * 18 + v * 3 + o] = T.Cast("int16", T.max(T.min(T.q_multiply_shift_per_axis(acc_1[0], m_1[o], 0, r_1[o], 31, T.bool(False), T.bool(True)) - 128, 127), -128)) - T.int16(-128)

    # One place in two, then a sum with nothing else.
    @T.prim_func
    def strided(x: T.Buffer((1, 5, 6, 3), "int16"), y: T.Buffer((1, 3, 3, 4), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([30, -40, 50, 60, -70, 80, 90, 11, 20, 30, 40, -50], "int8", [12])
        bias = T.allocate_const([-1000, 2000, 300, 0], "int32", [4])
        acc = T.allocate([1], "int32", "global")
        w_1 = T.Buffer((12,), "int8", data=w)
        bias_1 = T.Buffer((4,), "int32", data=bias)
        acc_1 = T.Buffer((1,), "int32", data=acc)
        x_1 = T.Buffer((90,), "int16", data=x.data)
        y_1 = T.Buffer((36,), "int8", data=y.data)
        for h, v, o in T.grid(3, 3, 4):
            acc_1[0] = 0
            for i in range(3):
                acc_1[0] = acc_1[0] + T.Cast("int32", x_1[h * 36 + v * 6 + i]) * T.Cast("int32", w_1[i * 4 + o])
            y_1[h * 12 + v * 4 + o] = T.Cast("int8", T.max(T.min(T.q_multiply_shift(acc_1[0] + bias_1[o], 1513141725, 31, -5) + 3, 100), -100))

    # Stays on the host.
    @T.prim_func
    def mean(x: T.Buffer((1, 3, 3, 4), "int8"), y: T.Buffer((6,), "int16")):
        T.func_attr({"tir.noalias": T.bool(True)})
        x_1 = T.Buffer((36,), "int8", data=x.data)
        for i in range(6):
            y[i] = T.Cast("int16", x_1[i * 6]) - T.int16(3)

    # The numbers become floats at the end.
    @T.prim_func
    def dense(x: T.Buffer((6,), "int16"), y: T.Buffer((1, 3), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([3, -4, 5, 6, -7, 8, 9, 1, 2, 3, 4, -5, 6, 7, 8, 9, -10, 11], "int8", [18])
        bias = T.allocate_const([10, 20, -30], "int32", [3])
        acc = T.allocate([1], "int32", "global")
        w_1 = T.Buffer((18,), "int8", data=w)
        bias_1 = T.Buffer((3,), "int32", data=bias)
        acc_1 = T.Buffer((1,), "int32", data=acc)
        y_1 = T.Buffer((3,), "float32", data=y.data)
        for n in range(3):
            acc_1[0] = 0
            for k in range(6):
                acc_1[0] = acc_1[0] + T.Cast("int32", x[k]) * T.Cast("int32", w_1[n * 6 + k])
            y_1[n] = T.Cast("float32", T.max(T.min(T.q_multiply_shift(acc_1[0] + bias_1[n], 1278221461, 31, -5) + 14, 127), -128) - 14) * T.float32(0.5)
