# Pointers that are chosen at run time between two buffers. In turn, `add` gets the two in both orders.
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(X: T.Buffer((4,), "int32"), Y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            Y[i] = X[i] + Y[i]

    @T.prim_func(private=True)
    def turn(a: T.Buffer((8,), "int32"), b: T.Buffer((8,), "int32"), t: T.int32):
        T.func_attr({"tir.noalias": T.bool(True)})
        p: T.handle("int32") = T.Select(t % 2 == 0, T.address_of(a[4]), b.data)
        q: T.handle("int32") = T.if_then_else(t % 2 == 0, b.data, T.address_of(a[4]))
        p_1 = T.Buffer((4,), "int32", data=p)
        q_1 = T.Buffer((4,), "int32", data=q)
        for i in range(4):
            q_1[i] = q_1[i] + p_1[3 - i]
        a[5] = a[5] + 1
        Module.add(p, q)
        a[6] = a[6] + q_1[1]
        for i in range(4):
            p_1[i] = q_1[i] - b[i + 4]

    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), y: T.Buffer((8,), "int32"), z: T.Buffer((8,), "int32")):
        T.func_attr({"global_symbol": "main", "tir.noalias": T.bool(True)})
        a = T.allocate([4], "int32", "global")
        b = T.allocate([4], "int32", "global")
        a_1 = T.Buffer((4,), "int32", data=a)
        b_1 = T.Buffer((4,), "int32", data=b)
        for i in range(4):
            a_1[i] = x[i]
            b_1[i] = x[i] * 3 + i
        for t in range(5):
            Module.add(T.Select(t % 2 == 0, a, b), T.Select(t % 2 == 0, b, a))
        for i in range(8):
            y[i] = a_1[i % 4]
            z[i] = b_1[i % 4] + i
        for t in range(3):
            Module.turn(y.data, z.data, t)
            Module.turn(z.data, y.data, t)
            Module.add(T.tvm_access_ptr(T.type_annotation("int32"), z.data, 0, 4, 3), T.address_of(z[4]))
