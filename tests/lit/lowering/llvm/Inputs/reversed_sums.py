from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((500,), "int32"), y: T.Buffer((500,), "int32")):
    T.func_attr({"tir.noalias": T.bool(True)})
    w = T.allocate_const([1, -2, 3], "int32", [3])
    w_1 = T.Buffer((3,), "int32", data=w)
    t = T.allocate([500], "int32", "global")
    t_1 = T.Buffer((500,), "int32", data=t)
    for i in range(500):
        t_1[i] = x[i] + w_1[i % 3]
    for i in range(500):
        y[i] = t_1[499 - i]
