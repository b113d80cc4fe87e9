# from tvm.script import tir as T

@T.prim_func
def main(inf: T.Buffer((4,), "bool"), finite: T.Buffer((4,), "bool"), nan: T.Buffer((4,), "bool"), half: T.Buffer((4,), "bool"), n: T.Buffer((18,), "int64"), f: T.Buffer((8,), "float32")):
    inf[0] = True
    inf[1] = True
    inf[2] = False
    inf[3] = False
    finite[0] = False
    finite[1] = False
    finite[2] = False
    finite[3] = True
    nan[0] = False
    nan[1] = False
    nan[2] = True
    nan[3] = False
    half[0] = True
    half[1] = False
    half[2] = False
    half[3] = True
    n[0] = -2147483648
    n[1] = 2147483647
    n[2] = 0
    n[3] = 255
    n[4] = T.int64(-9223372036854775808)
    n[5] = T.int64(9223372036854775807)
    n[6] = -1
    n[7] = -128
    n[8] = 7
    n[9] = 200
    n[10] = -7
    n[11] = 3
    n[12] = -1
    n[13] = 2
    n[14] = -2
    n[15] = 0
    n[16] = 1
    n[17] = 0
    f[0] = T.float32(-3.4028234663852886e+38)
    f[1] = T.float32(3.4028234663852886e+38)
    f[2] = T.float32(65504)
    f[3] = T.float32(1.5)
    f[4] = T.float32(-7)
    f[5] = T.float32(8)
    f[6] = T.float32(3)
    f[7] = T.float32(0.5)
