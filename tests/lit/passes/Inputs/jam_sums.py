# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # An iteration of `i` computes the sums of four iterations of `j`, and shares none of them.
    @T.prim_func
    def around(x: T.Buffer((64,), "int32"), w: T.Buffer((4096,), "int32"), y: T.Buffer((64,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j in T.grid(2, 4):
            s = T.allocate([1], "int32x8", "global")
            s_1 = T.Buffer((1,), "int32x8", data=s)
            s_1[0] = T.Broadcast(0, 8)
            for k in range(64):
                s_1[0] = s_1[0] + T.Broadcast(x[k], 8) * w[i * 2048 + j * 512 + k * 8:i * 2048 + j * 512 + k * 8 + 8]
            y[i * 32 + j * 8:i * 32 + j * 8 + 8] = s_1[0]

    # The statement next to the sum is not a sum.
    @T.prim_func
    def beside(x: T.Buffer((64,), "int32"), w: T.Buffer((4096,), "int32"), y: T.Buffer((64,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(8):
            s = T.allocate([1], "int32x8", "global")
            s_1 = T.Buffer((1,), "int32x8", data=s)
            s_1[0] = T.Broadcast(0, 8)
            for k in range(64):
                s_1[0] = s_1[0] + T.Broadcast(x[k], 8) * w[i * 512 + k * 8:i * 512 + k * 8 + 8]
            t = T.allocate([1], "int32x8", "global")
            t_1 = T.Buffer((1,), "int32x8", data=t)
            t_1[0] = s_1[0]
            y[i * 8:i * 8 + 8] = t_1[0] + t_1[0]
