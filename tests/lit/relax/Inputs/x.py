# from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((4,), "int32")):
    for i in range(4):
        x[i] = i * 3 + 1
