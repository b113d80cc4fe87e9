@I.ir_module
class Module:
    @T.prim_func
    def first(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        for i in range(4):
            y[i] = x[i] + 1

    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        a = T.allocate([4], "int32", "global")
        T.call_extern("int32", "first", x.data, a)
        T.call_extern("int32", "first", a, y.data)
