# Three layers of uint8, whose weights are int8: a 1x1 convolution, a maximum, and a dense layer with a result of int8.
@I.ir_module
class Module:
    @T.prim_func
    def conv(x: T.Buffer((1, 4, 4, 2), "uint8"), y: T.Buffer((1, 4, 4, 3), "uint8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, -2, 3, 4, -5, 6], "int8", [6])
        b = T.allocate_const([100, -200, 300], "int32", [3])
        acc = T.allocate([1], "int32", "global")
        w_1 = T.Buffer((6,), "int8", data=w)
        b_1 = T.Buffer((3,), "int32", data=b)
        acc_1 = T.Buffer((1,), "int32", data=acc)
        for h, v, n in T.grid(4, 4, 3):
            acc_1[0] = 0
            for k in range(2):
                acc_1[0] = acc_1[0] + (T.Cast("int32", x[0, h, v, k]) - 7) * T.Cast("int32", w_1[n * 2 + k])
            y[0, h, v, n] = T.Cast("uint8", T.max(T.min(T.q_multiply_shift(acc_1[0] + b_1[n], 1278221461, 31, -2) + 120, 255), 0))

    @T.prim_func
    def most(x: T.Buffer((1, 4, 4, 3), "uint8"), y: T.Buffer((1, 2, 2, 3), "uint8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        acc = T.allocate([1], "uint8", "global")
        acc_1 = T.Buffer((1,), "uint8", data=acc)
        for h, v, c in T.grid(2, 2, 3):
            acc_1[0] = T.uint8(0)
            for i, j in T.grid(2, 2):
                acc_1[0] = T.max(acc_1[0], x[0, h * 2 + i, v * 2 + j, c])
            y[0, h, v, c] = acc_1[0]

    @T.prim_func
    def dense(x: T.Buffer((1, 2, 2, 3), "uint8"), y: T.Buffer((2,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, -2, 3, 4, -5, 6, 7, -8, 9, 10, -11, 12, -1, 2, -3, 4, 5, -6, 7, 8, -9, 10, 11, -12], "int8", [24])
        x_1 = T.Buffer((12,), "uint8", data=x.data)
        acc = T.allocate([1], "int32", "global")
        w_1 = T.Buffer((24,), "int8", data=w)
        acc_1 = T.Buffer((1,), "int32", data=acc)
        for n in range(2):
            acc_1[0] = 0
            for k in range(12):
                acc_1[0] = acc_1[0] + (T.Cast("int32", x_1[k]) - 120) * T.Cast("int32", w_1[n * 12 + k])
            y[n] = T.Cast("int8", T.max(T.min(T.q_multiply_shift(acc_1[0], 1278221461, 31, -4) - 5, 127), -128))

    @T.prim_func
    def main(x: T.Buffer((1, 4, 4, 2), "uint8"), y: T.Buffer((2,), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        a = T.allocate([48], "uint8", "global.workspace")
        b = T.allocate([12], "uint8", "global.workspace")
        T.evaluate(T.call_extern("int32", "conv", x.data, a))
        T.evaluate(T.call_extern("int32", "most", a, b))
        T.evaluate(T.call_extern("int32", "dense", b, y.data))
