# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("table", [7, 8], "int8", [2], align=64), I.constant("w", [1, 2, 3], "int32", [3]), I.constant("inner", [4, 5, 6], "int32", [3]), I.constant("w_1", [1, 2, 3], "int8", [3]), I.constant("flat", [1, 2, 3, 4], "int32", [4])]})
    @T.prim_func
    def a_nested(B: T.Buffer((3,), "int32")):
        w = T.allocate_const(I.constant("w"), "int32", [3])
        inner = T.allocate_const(I.constant("inner"), "int32", [3])
        for i in range(3):
            w_1 = T.Buffer((3,), "int32", data=w)
            inner_1 = T.Buffer((3,), "int32", data=inner)
            B[i] = w_1[i] + inner_1[i]

    @T.prim_func
    def b_equal(B: T.Buffer((3,), "int32")):
        v = T.allocate_const(I.constant("w"), "int32", [3])
        w = T.allocate_const(I.constant("w_1"), "int8", [3])
        flat = T.allocate_const(I.constant("flat"), "int32", [4])
        for i in range(3):
            v_1 = T.Buffer((3,), "int32", data=v)
            w_1 = T.Buffer((3,), "int8", data=w)
            flat_1 = T.Buffer((4,), "int32", data=flat)
            B[i] = v_1[i] + T.Cast("int32", w_1[i]) + flat_1[i]

    @T.prim_func
    def c_from_table(B: T.Buffer((2,), "int32")):
        a = T.allocate_const(I.constant("table"), "int8", [2])
        b = T.allocate_const(I.constant("table"), "int8", [2])
        c = T.allocate_const(I.constant("inner"), "int32", [3])
        for i in range(2):
            a_1 = T.Buffer((2,), "int8", data=a)
            b_1 = T.Buffer((2,), "int8", data=b)
            c_1 = T.Buffer((3,), "int32", data=c)
            B[i] = T.Cast("int32", a_1[i]) + T.Cast("int32", b_1[i]) + c_1[i]
