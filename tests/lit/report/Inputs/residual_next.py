from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def __tvm_main__(x: T.Buffer((64,), "int8"), y: T.Buffer((64,), "int8")):
        kept = T.allocate([600], "int8", "global.workspace")
        wide = T.allocate([100], "int8", "global.workspace")
        later = T.allocate([900], "int8", "global.workspace")
        T.evaluate(T.call_extern("int32", "net_stem", x.data, kept))
        T.evaluate(T.call_extern("int32", "net_wide", x.data, wide))
        T.evaluate(T.call_extern("int32", "net_join", kept, wide, later))
        T.evaluate(T.call_extern("int32", "net_tail", later, y.data))

    @T.prim_func
    def net_stem(p: T.Buffer((64,), "int8"), q: T.Buffer((600,), "int8")):
        for i in range(600):
            q[i] = p[i % 64]

    @T.prim_func
    def net_wide(p: T.Buffer((64,), "int8"), q: T.Buffer((100,), "int8")):
        padded = T.allocate([1500], "int8", "global")
        padded_1 = T.Buffer((1500,), "int8", data=padded)
        for i in range(1500):
            padded_1[i] = p[i % 64]
        for i in range(100):
            q[i] = padded_1[i]

    @T.prim_func
    def net_join(p: T.Buffer((600,), "int8"), r: T.Buffer((100,), "int8"), q: T.Buffer((900,), "int8")):
        for i in range(900):
            q[i] = p[i % 600] + r[i % 100]

    @T.prim_func
    def net_tail(p: T.Buffer((900,), "int8"), q: T.Buffer((64,), "int8")):
        for i in range(64):
            q[i] = p[i]
