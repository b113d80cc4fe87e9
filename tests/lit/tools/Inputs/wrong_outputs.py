# from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    T.func_attr({"tenon.outputs": ["D"]})
    A[0] = T.float32(1)
