# from tvm.script import tir as T

@T.prim_func
def main(c: T.Buffer((4,), "int32"), f: T.Buffer((4,), "int32")):
    for i in range(4):
        c[i] = -3 * ((i * 3 + 1) + 2 * (i * 10 + 10))
        f[i] = (i * 3 + 1) + (i * 10 + 10) + 1
