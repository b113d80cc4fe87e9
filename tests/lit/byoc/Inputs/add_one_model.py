@I.ir_module
class Module:
    @T.prim_func
    def add(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            y[i] = x[i] + T.float32(1)

    @T.prim_func
    def main(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        T.evaluate(T.call_extern("int32", "add", x.data, y.data))
