@I.ir_module
class Module:
    @T.prim_func
    def add(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([10, -20, 30, 40], "int32", [4])
        w_1 = T.Buffer((4,), "int32", data=w)
        for i in range(4):
            y[i] = x[i] + w_1[i]

    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        T.evaluate(T.call_extern("int32", "add", x.data, y.data))
