@I.ir_module
class Module:
    @T.prim_func(private=True)
    def scale(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([10, 20, 30, 40], "float32", [4])
        w_1 = T.Buffer((4,), data=w)
        for i in range(4):
            y[i] = x[i] * w_1[i]

    @T.prim_func(private=True)
    def both(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([10, 20, 30, 40], "float32", [4])
        b = T.allocate_const([5, 6, 7, 8], "float32", [4])
        w_1 = T.Buffer((4,), data=w)
        b_1 = T.Buffer((4,), data=b)
        for i in range(4):
            y[i] = x[i] * w_1[i] + b_1[i]

    @T.prim_func
    def main(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        s = T.allocate([4], "float32", "global.workspace")
        t = T.allocate([4], "float32", "global.workspace")
        T.evaluate(T.call_extern("int32", "scale", x.data, s))
        T.evaluate(T.call_extern("int32", "both", s, t))
        T.evaluate(T.call_extern("int32", "scale", t, y.data))
