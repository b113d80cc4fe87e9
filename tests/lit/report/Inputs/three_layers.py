@I.ir_module
class Module:
    @T.prim_func
    def dense(x: T.Buffer((4,), "int32"), y: T.Buffer((3,), "int32")):
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], "int8", [12])
        w_1 = T.Buffer((12,), "int8", data=w)
        for i in range(3):
            y[i] = 0
            for j in range(4):
                y[i] = y[i] + x[j] * T.Cast("int32", w_1[i * 4 + j])

    @T.prim_func
    def pick(x: T.Buffer((3,), "int32"), y: T.Buffer((3,), "int32")):
        t = T.allocate([3], "int32", "global")
        t_1 = T.Buffer((3,), "int32", data=t)
        for i in range(3):
            t_1[i] = x[2 - i] * 3
        for i in range(3):
            y[i] = t_1[i] + 1

    @T.prim_func
    def square(x: T.Buffer((3,), "int32"), y: T.Buffer((5,), "int32")):
        for i in range(5):
            y[i] = 0
            for j in range(2):
                y[i] = T.if_then_else(j < 1, x[j] * x[j], x[0] * 2) + y[i]

    @T.prim_func
    def __tvm_main__(x: T.Buffer((4,), "int32"), y: T.Buffer((5,), "int32")):
        a = T.allocate([3], "int32", "global")
        b = T.allocate([3], "int32", "global")
        Module.dense(x.data, a)
        Module.pick(a, b)
        Module.square(b, y.data)
