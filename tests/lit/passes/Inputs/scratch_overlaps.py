@I.ir_module
class Over:
    @T.prim_func
    def main(x: T.Buffer((64,), "int32"), y: T.Buffer((64,), "int32")):
        a = T.allocate([64], "int32", "global")
        a_1 = T.Buffer((64,), "int32", data=a)
        b = T.allocate([64], "int32", "global")
        b_1 = T.Buffer((64,), "int32", data=b)
        for i in range(64):
            a_1[i] = x[i]
        T.evaluate(T.call_extern("int32", "f", a, b))
        for i in range(64):
            y[i] = b_1[i]

    @T.prim_func(private=True)
    def f(p0: T.Buffer((64,), "int32"), p1: T.Buffer((64,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        s = T.allocate([64], "int32", "global")
        s_1 = T.Buffer((64,), "int32", data=s)
        for i in range(64):
            p1[i] = p0[63 - i]
        for i in range(64):
            s_1[i] = p1[63 - i]
        for i in range(64):
            p1[i] = p1[i] + s_1[i] * s_1[(i + 1) % 64]
