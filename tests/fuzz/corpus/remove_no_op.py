# from tvm.script import ir as I
# from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func
    def branches(n: T.int32, A: T.Buffer((4,), "float32")):
        if n > 3:
            T.evaluate(0)
        else:
            A[0] = T.float32(1)
        if n > 4:
            A[1] = T.float32(1)
        else:
            T.evaluate(n)

    @T.prim_func
    def effects():
        if T.call_extern("int32", "f") == 0:
            T.evaluate(0)
        s = T.allocate([4], "int8", "global")
        T.evaluate(T.call_extern("int32", "g", s))

    @T.prim_func
    def empty(n: T.int32):
        for i in range(4):
            T.evaluate(n + i)

    @T.prim_func
    def unused(n: T.int32, A: T.Buffer((4,), "float32")):
        t: T.int32 = n * 2
        u: T.int32 = t + 1
        s = T.allocate([4], "int8", "global")
        c = T.allocate_const([1, 2], "int8", [2])
        for i in range(4):
            T.evaluate(u)
        if n > 3:
            T.evaluate(0)
        A[0] = T.float32(1)
