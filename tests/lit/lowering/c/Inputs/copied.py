# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        I.constant("a", [1, 2, 3], "int32", [3], load="global_workspace"), # a
        I.constant("b", [4, 5, 6], "int32", [3], load="global_workspace"), # b
        ]})

    @T.prim_func
    def main(y: T.Buffer((3,), "int32")):
        T.func_attr({"global_symbol": "main"})
        a = T.allocate_const(I.constant("a"), "int32", [3])
        a_1 = T.Buffer((3,), "int32", data=a)
        b = T.allocate_const(I.constant("b"), "int32", [3])
        b_1 = T.Buffer((3,), "int32", data=b)
        for i in range(3):
            y[i] = a_1[i] * b_1[i]
