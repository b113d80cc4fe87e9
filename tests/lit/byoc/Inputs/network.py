# from tvm.script import ir as I
# from tvm.script import tir as T

# A dense layer, a sum of integers, and a sort that no target supports.
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def dense(x: T.Buffer((8,), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, 8, -1, 2, -3, 4, -5, 6, -7, 8, 1, 1, 1, 1, 1, 1, 1, 1, 8, 7, 6, 5, 4, 3, 2, 1], "float32", [4, 8])
        w_1 = T.Buffer((4, 8), data=w)
        for i in range(4):
            y[i] = T.float32(0)
            for k in range(8):
                y[i] = y[i] + x[k] * w_1[i, k]

    @T.prim_func(private=True)
    def add(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            y[i] = x[i] + 7

    @T.prim_func(private=True)
    def sort(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            y[i] = x[i]
        for i in range(4):
            for j in range(3):
                if y[j] > y[j + 1]:
                    t = y[j]
                    y[j] = y[j + 1]
                    y[j + 1] = t

    @T.prim_func
    def main(x: T.Buffer((8,), "float32"), n: T.Buffer((4,), "int32"), y: T.Buffer((4,), "float32"), m: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        d = T.allocate([4], "float32", "global.workspace")
        a = T.allocate([4], "int32", "global.workspace")
        T.evaluate(T.call_extern("int32", "dense", x.data, d))
        T.evaluate(T.call_extern("int32", "add", n.data, a))
        T.evaluate(T.call_extern("int32", "sort", d, y.data))
        T.evaluate(T.call_extern("int32", "add", a, m.data))
