# from tvm.script import ir as I
# from tvm.script import tir as T


@I.ir_module
class ParamOut:
    @T.prim_func
    def main(A: T.Buffer((100,), "int8"), D: T.Buffer((100,), "int8")):
        T.func_attr({"global_symbol": "main"})
        P = T.allocate([100], "int8", "global")
        Q = T.allocate([300], "int8", "global")
        R = T.allocate([50], "int8", "global")
        T.evaluate(T.call_extern("int32", "f1", A.data, P))
        T.evaluate(T.call_extern("int32", "f2", P, Q))
        T.evaluate(T.call_extern("int32", "f3", Q, R))
        T.evaluate(T.call_extern("int32", "f4", P, R, D.data))

    @T.prim_func
    def f1(A: T.Buffer((100,), "int8"), P: T.Buffer((100,), "int8")):
        T.func_attr({"global_symbol": "f1"})
        for i in range(100):
            P[i] = A[i]

    @T.prim_func
    def f2(P: T.Buffer((100,), "int8"), Q: T.Buffer((300,), "int8")):
        T.func_attr({"global_symbol": "f2"})
        for i in range(300):
            Q[i] = P[i % 100]

    @T.prim_func
    def f3(Q: T.Buffer((300,), "int8"), R: T.Buffer((50,), "int8")):
        T.func_attr({"global_symbol": "f3"})
        for i in range(50):
            R[i] = Q[i]

    @T.prim_func
    def f4(P: T.Buffer((100,), "int8"), R: T.Buffer((50,), "int8"), D: T.Buffer((100,), "int8")):
        T.func_attr({"global_symbol": "f4"})
        for i in range(100):
            D[i] = P[i] + R[i // 2]
