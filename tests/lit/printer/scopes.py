# Statements with a body: flat if nothing follows in the block, else `with`.
#
# RUN: grep -v "^ *#" %s > %t.in
# RUN: tenon-opt %s | grep -v "^ *#" > %t.out
# RUN: diff %t.in %t.out
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def allocates(A: T.Buffer((4,), "float32"), n: T.int32):
        with T.allocate([4], "float32", "global") as B:
            B_1 = T.Buffer((4,), data=B)
            B_1[0] = A[0]
        C = T.allocate([n, 4], "int8", "global.workspace", n < 4, annotations={"k": 1})
        C_1 = T.Buffer((n, 4), "int8", data=C, scope="global.workspace")
        C_1[0, 0] = T.int8(3)

    @T.prim_func
    def asserts(A: T.Buffer((4,), "int32")):
        with T.Assert(A[0] == 1, "one"):
            A[0] = 2
        assert A[0] == 2, "two"
        A[0] = 3

    @T.prim_func
    def attributes(A: T.Buffer((4,), "int32")):
        T.attr("default", "device_id", 0)
        with T.attr(0, "compute_scope", "f_compute_"):
            A[0] = 1
        T.attr(A.data, "storage_alignment", 64)
        A[1] = 2

    @T.prim_func
    def branches(A: T.Buffer((4,), "int32")):
        if A[0] == 0:
            x: T.int32 = A[1]
            A[2] = x
        else:
            if A[0] == 1:
                A[2] = 2
        A[3] = 4

    @T.prim_func
    def lets(A: T.Buffer((4,), "int32")):
        with T.LetStmt(A[0]) as x:
            A[1] = x
        with T.LetStmt(A.data, T.handle("int32", "global")) as p:
            T.call_extern("int32", "f", p)
        p: T.handle("int32", "global") = A.data
        y: T.int32 = A[2]
        A[3] = y
        T.call_extern("int32", "f", p)

    @T.prim_func
    def no_ops(A: T.Buffer((4,), "int32")):
        T.evaluate(0)
        with T.allocate([4], "int8", "global") as B:
            T.call_extern("int32", "f", B)
        T.evaluate(0)
