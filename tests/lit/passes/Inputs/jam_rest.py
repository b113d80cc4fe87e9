# from tvm.script import tir as T

@T.prim_func
def rest(x: T.Buffer((35,), "int32"), w: T.Buffer((40,), "int32"), y: T.Buffer((56,), "int32")):
    T.func_attr({"tir.noalias": T.bool(True)})
    for i in range(7):
        s = T.allocate([1], "int32x8", "global")
        s_1 = T.Buffer((1,), "int32x8", data=s)
        s_1[0] = T.Broadcast(0, 8)
        for k in range(5):
            s_1[0] = s_1[0] + T.Broadcast(x[i * 5 + k], 8) * w[k * 8:k * 8 + 8]
        y[i * 8:i * 8 + 8] = s_1[0]
