# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("c0", [1, 2, 3, 4], "int32", [4]), I.constant("c1", [5, 6], "int32", [2])]})
    @T.prim_func
    def main(A: T.Buffer((4,), "int32")):
        A[0] = 1
