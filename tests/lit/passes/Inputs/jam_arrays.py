# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def branch(x: T.Buffer((64,), "float32"), w: T.Buffer((2048,), "float32"), y: T.Buffer((32,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            s = T.allocate([8], "float32", "global")
            s_1 = T.Buffer((8,), "float32", data=s)
            for c in range(8):
                s_1[c] = T.float32(0)
            for k in range(64):
                if k < 60:
                    for c in range(8):
                        s_1[c] = s_1[c] + x[k] * w[i * 512 + k * 8 + c]
            for c in range(8):
                y[i * 8 + c] = s_1[c]

    @T.prim_func
    def floats(x: T.Buffer((64,), "float32"), w: T.Buffer((2048,), "float32"), y: T.Buffer((32,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            s = T.allocate([8], "float32", "global")
            s_1 = T.Buffer((8,), "float32", data=s)
            for c in range(8):
                s_1[c] = T.float32(0)
            for k, c in T.grid(64, 8):
                s_1[c] = s_1[c] + x[k] * w[i * 512 + k * 8 + c]
            for c in range(8):
                y[i * 8 + c] = s_1[c]

    @T.prim_func
    def integers(x: T.Buffer((64,), "int32"), w: T.Buffer((2048,), "int32"), y: T.Buffer((32,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            s = T.allocate([8], "int32", "global")
            s_1 = T.Buffer((8,), "int32", data=s)
            for c in range(8):
                s_1[c] = 0
            for k, c in T.grid(64, 8):
                s_1[c] = s_1[c] + x[k] * w[i * 512 + k * 8 + c]
            for c in range(8):
                y[i * 8 + c] = s_1[c]
