# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        I.constant("hot", [1, 2], "int8", [2]),
        I.constant("warm", I.splat(5), "int8", [32]),
        I.constant("cold", I.splat(6), "int8", [512])]})
    @T.prim_func
    def main(y: T.Buffer((32,), "int8")):
        hot = T.allocate_const(I.constant("hot"), "int8", [2])
        hot_1 = T.Buffer((2,), "int8", data=hot)
        warm = T.allocate_const(I.constant("warm"), "int8", [32])
        warm_1 = T.Buffer((32,), "int8", data=warm)
        cold = T.allocate_const(I.constant("cold"), "int8", [512])
        cold_1 = T.Buffer((512,), "int8", data=cold)
        t = T.allocate([32], "int8", "global")
        t_1 = T.Buffer((32,), "int8", data=t)
        for i in range(32):
            t_1[i] = hot_1[0] + hot_1[1] + warm_1[i]
        for i in range(32):
            y[i] = t_1[i] + warm_1[i] + hot_1[0]
        for i in range(16):
            y[i] = y[i] + cold_1[i * 32]
