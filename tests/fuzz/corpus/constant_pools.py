# from tvm.script import ir as I
# from tvm.script import tir as T




@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((3,), "int8")):
        T.func_attr({"global_symbol": "main"})
        c = T.allocate_const([1, 2, 3], "int8", [3])
        c_1 = T.Buffer((3,), "int8", data=c)
        for i in range(3):
            A[i] = c_1[i]
