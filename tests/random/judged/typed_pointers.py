# Pointers of T.tvm_access_ptr count elements.
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def fill(p: T.Buffer((4,), "int32")):
        for i in range(4):
            p[i] = 3

    @T.prim_func
    def main(x: T.Buffer((16,), "int32"), y: T.Buffer((16,), "int32")):
        T.func_attr({"tir.is_entry_func": T.bool(True)})
        a = T.allocate([8], "int32", "global")
        s = T.allocate([8], "int32", "global")
        a_1 = T.Buffer((8,), "int32", data=a)
        s_1 = T.Buffer((8,), "int32", data=s)
        for i in range(8):
            a_1[i] = x[i]
        for i in range(8):
            s_1[i] = x[15 - i]
        y[0] = s_1[3]
        Module.fill(T.tvm_access_ptr(T.type_annotation("int32"), a, 4, 4, 2))
        for i in range(3):
            y[i] = a_1[i + 1]
