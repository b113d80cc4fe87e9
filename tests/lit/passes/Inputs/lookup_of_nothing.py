from tvm.script import tir as T

@T.prim_func
def main(y: T.Buffer((4,), "int8")):
    T.func_attr({"global_symbol": "main"})
    p: T.handle("int8") = T.lookup_param("p9")
    p_1 = T.Buffer((4,), "int8", data=p)
    y[0] = p_1[0]
