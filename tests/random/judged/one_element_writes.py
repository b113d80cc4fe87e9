# The same with a single store.
from tvm.script import ir as I
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((16,), "int8"), y: T.Buffer((16,), "int8")):
    a = T.allocate([2], "int8", "global")
    s = T.allocate([2], "int8", "global")
    a_1 = T.Buffer((2,), "int8", data=a)
    s_1 = T.Buffer((2,), "int8", data=s)
    for i in range(2):
        a_1[i] = x[i]
    for i in range(2):
        s_1[i] = x[15 - i]
    y[0] = s_1[1]
    last: T.handle("int8", "global") = T.address_of(a_1[1])
    last_1 = T.Buffer((1,), "int8", data=last)
    last_1[0] = T.int8(5)
    y[1] = a_1[0]
