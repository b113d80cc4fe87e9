# A buffer that is read only for an index is read.
from tvm.script import ir as I
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((16,), "int8"), y: T.Buffer((16,), "int8")):
    a = T.allocate([16], "int8", "global")
    s = T.allocate([16], "int8", "global")
    a_1 = T.Buffer((16,), "int8", data=a)
    s_1 = T.Buffer((16,), "int8", data=s)
    for i in range(16):
        a_1[i] = T.int8(15 - i)
    for i in range(16):
        s_1[i] = x[15 - i]
    y[0] = s_1[3]
    for i in range(15):
        y[i + 1] = x[T.Cast("int32", a_1[i])]
