from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, f: T.float32, u: T.uint64, h: T.float16, b: T.bool, y: T.Buffer((5,), "float32")):
    y[0] = T.Cast("float32", n)
    y[1] = f
    y[2] = T.Cast("float32", u)
    y[3] = T.Cast("float32", h)
    y[4] = T.Select(b, T.float32(1), T.float32(-1))
