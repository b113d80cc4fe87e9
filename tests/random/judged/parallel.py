# Iterations of a parallel loop run at the same time, and each has memory of its own.
from tvm.script import ir as I
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((16,), "int8"), y: T.Buffer((16,), "int8")):
    a = T.allocate([16], "int8", "global")
    b = T.allocate([16], "int8", "global")
    c = T.allocate([16], "int8", "global")
    s = T.allocate([16], "int8", "global")
    a_1 = T.Buffer((16,), "int8", data=a)
    b_1 = T.Buffer((16,), "int8", data=b)
    c_1 = T.Buffer((16,), "int8", data=c)
    s_1 = T.Buffer((16,), "int8", data=s)
    for i in range(16):
        a_1[i] = x[i]
    for i in range(16):
        s_1[i] = x[15 - i]
    y[0] = s_1[3]
    for t in T.parallel(4):
        with T.allocate([4], "int8", "global") as own:
            own_1 = T.Buffer((4,), "int8", data=own)
            for i in range(4):
                own_1[i] = a_1[t * 4 + i]
            for i in range(4):
                b_1[t * 4 + i] = own_1[3 - i]
    for t in T.parallel(16):
        c_1[t] = b_1[15 - t]
    for t in T.parallel(4):
        for i in range(4):
            b_1[t * 4 + i] = c_1[t * 4 + i] + T.int8(1)
        for i in range(4):
            a_1[t * 4 + i] = b_1[t * 4 + 3 - i]
    for i in range(16):
        y[i] = a_1[i] + T.int8(1)
