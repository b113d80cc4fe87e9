# A nest reads elements in another order than it stores them, so some before it has stored them.
from tvm.script import ir as I
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((16,), "int8"), y: T.Buffer((16,), "int8")):
    a = T.allocate([16], "int8", "global")
    s = T.allocate([16], "int8", "global")
    a_1 = T.Buffer((16,), "int8", data=a)
    s_1 = T.Buffer((16,), "int8", data=s)
    for i in range(16):
        a_1[i] = x[i]
    for i in range(16):
        s_1[i] = x[15 - i]
    y[0] = s_1[3]
    y[1] = T.int8(0)
    for i, k in T.grid(2, 2):
        for j in range(4):
            a_1[i * 8 + k * 4 + j] = T.int8(3)
        for j in range(4):
            y[1] = y[1] + a_1[i * 4 + k * 8 + j]
    for i in range(14):
        y[i + 2] = a_1[i]
