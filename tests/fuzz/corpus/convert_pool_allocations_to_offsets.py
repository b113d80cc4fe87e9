# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class MergeAllocations:
    @T.prim_func
    def main(A: T.Buffer((256,), "int8"), D: T.Buffer((256,), "int8")):
        T.func_attr({"global_symbol": "main"})
        B = T.allocate([256], "int8", "global")
        C = T.allocate([256], "int8", "global")
        T.evaluate(T.call_extern("int32", "op", A.data, B))
        T.evaluate(T.call_extern("int32", "op", B, C))
        T.evaluate(T.call_extern("int32", "op", C, D.data))

    @T.prim_func
    def op(X: T.Buffer((256,), "int8"), Y: T.Buffer((256,), "int8")):
        T.func_attr({"global_symbol": "op"})
        for i in range(256):
            Y[i] = X[i]
