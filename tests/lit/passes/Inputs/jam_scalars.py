# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def load(x: T.Buffer((8,), "int32"), w: T.Buffer((64,), "int32"), y: T.Buffer((8,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for c in range(8):
            s = T.allocate([1], "int32", "global")
            s_1 = T.Buffer((1,), "int32", data=s)
            s_1[0] = 0
            for k in range(8):
                s_1[0] = s_1[0] + x[k] * w[k * 8 + c]
            y[c] = s_1[0]

    @T.prim_func
    def condition(x: T.Buffer((64,), "int32"), w: T.Buffer((64,), "int32"), y: T.Buffer((8,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for c in range(8):
            s = T.allocate([1], "int32", "global")
            s_1 = T.Buffer((1,), "int32", data=s)
            s_1[0] = 0
            for k in range(8):
                if k > 2:
                    s_1[0] = s_1[0] + x[k * 8 + c] * w[k * 8 + c]
            y[c] = s_1[0]

    @T.prim_func
    def nothing(x: T.Buffer((64,), "int32"), w: T.Buffer((64,), "int32"), y: T.Buffer((8,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for c in range(8):
            s = T.allocate([1], "int32", "global")
            s_1 = T.Buffer((1,), "int32", data=s)
            s_1[0] = 0
            for k in range(8):
                s_1[0] = s_1[0] + x[k * 8 + c] * w[k * 8 + c]
            y[c] = s_1[0]
