@I.ir_module
class Module:
    @T.prim_func
    def add(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        w = T.allocate_const([1, 2, 3, 4], "int32", [4])
        w_1 = T.Buffer((4,), "int32", data=w)
        for i in range(4):
            y[i] = x[i] + w_1[i]

    @T.prim_func
    def mul(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        w = T.allocate_const([5, 6, 7, 8], "int32", [4])
        w_1 = T.Buffer((4,), "int32", data=w)
        for i in range(4):
            y[i] = x[i] * w_1[i]

    @T.prim_func
    def __tvm_main__(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        a = T.allocate([4], "int32", "global")
        Module.add(x.data, a)
        Module.mul(a, y.data)
