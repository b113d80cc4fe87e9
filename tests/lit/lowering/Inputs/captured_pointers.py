# Parallel loops that reach `y` and `z` through the parameters and through other pointers.
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((4,), "int32"), y: T.Buffer((8,), "int32"), z: T.Buffer((8,), "int32")):
    T.func_attr({"global_symbol": "main", "tir.noalias": T.bool(True)})
    r: T.handle("int32") = T.address_of(y[4])
    r_1 = T.Buffer((4,), "int32", data=r)
    for i in range(8):
        y[i] = x[i % 4]
        z[i] = x[i % 4] + 1
    for i in T.parallel(4):
        r_1[i] = 5
        y[i + 4] = y[i + 4] + 2
        r_1[i] = r_1[i] * 3
        y[i] = y[i + 4] + r_1[i] + z[i]
    for t in range(3):
        p: T.handle("int32") = T.Select(t % 2 == 0, y.data, z.data)
        q: T.handle("int32") = T.if_then_else(t % 2 == 0, z.data, y.data)
        p_1 = T.Buffer((8,), "int32", data=p)
        q_1 = T.Buffer((8,), "int32", data=q)
        for i in T.parallel(4):
            p_1[i] = 5
            y[i] = y[i] + 2
            p_1[i] = p_1[i] * 3 + q_1[i]
            z[i] = y[i] + q_1[i] + t
