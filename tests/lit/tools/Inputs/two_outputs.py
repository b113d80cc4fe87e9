# The first output feeds the function that makes the second one.
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def first(x: T.Buffer((4,), "int32"), a: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            a[i] = x[i] + 1000

    @T.prim_func(private=True)
    def second(a: T.Buffer((4,), "int32"), b: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            b[i] = a[i] * 2

    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), a: T.Buffer((4,), "int32"), b: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True), "tir.is_entry_func": T.bool(True)})
        Module.first(x.data, a.data)
        Module.second(a.data, b.data)
