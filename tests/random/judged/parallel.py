# Iterations of a parallel loop run at the same time, and each has memory of its own.
from tvm.script import ir as I
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((16,), "int8"), y: T.Buffer((16,), "int8")):
    a = T.allocate([16], "int8", "global")
    b = T.allocate([16], "int8", "global")
    c = T.allocate([16], "int8", "global")
    a_1 = T.Buffer((16,), "int8", data=a)
    b_1 = T.Buffer((16,), "int8", data=b)
    c_1 = T.Buffer((16,), "int8", data=c)
    for i in range(16):
        a_1[i] = x[i]
    for t in T.parallel(4):
        with T.allocate([4], "int8", "global") as own:
            own_1 = T.Buffer((4,), "int8", data=own)
            for i in range(4):
                own_1[i] = a_1[t * 4 + i]
            for i in range(4):
                b_1[t * 4 + i] = own_1[3 - i]
    for t in T.parallel(16):
        c_1[t] = b_1[15 - t]
    for i in range(16):
        y[i] = c_1[i] + T.int8(1)
