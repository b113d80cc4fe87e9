from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def __tvm_main__(x: T.Buffer((128,), "int32"), y: T.Buffer((128,), "int32")):
        T.evaluate(T.call_extern("int32", "turn", x.data, y.data))

    @T.prim_func
    def turn(p: T.Buffer((128,), "int32"), q: T.Buffer((128,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        kept = T.allocate([128], "int32", "local")
        kept_1 = T.Buffer((128,), "int32", data=kept, scope="local")
        for i in range(128):
            kept_1[i] = p[i] * p[127 - i]
        T.evaluate(T.call_extern("int32", "elsewhere", kept, q.data))
        for i in range(128):
            q[i] = q[i] + kept_1[127 - i]
