# from tvm.script import ir as I
# from tvm.script import tir as T

# A matrix product and the operators after it.
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def matmul(a: T.Buffer((512, 400), "float32"), b: T.Buffer((400, 512), "float32"), c: T.Buffer((512, 512), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j in T.grid(512, 512):
            c[i, j] = T.float32(0)
            for k in range(400):
                c[i, j] = c[i, j] + a[i, k] * b[k, j]

    @T.prim_func(private=True)
    def relu(x: T.Buffer((512, 512), "float32"), y: T.Buffer((512, 512), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j in T.grid(512, 512):
            y[i, j] = T.max(x[i, j], T.float32(0))

    @T.prim_func
    def main(a: T.Buffer((512, 400), "float32"), b: T.Buffer((400, 512), "float32"), y: T.Buffer((512, 512), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        c = T.allocate([262144], "float32", "global.workspace")
        T.evaluate(T.call_extern("int32", "matmul", a.data, b.data, c))
        T.evaluate(T.call_extern("int32", "relu", c, y.data))
