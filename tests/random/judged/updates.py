# A store that reads the element first does not overwrite it.
from tvm.script import ir as I
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((16,), "int8"), y: T.Buffer((16,), "int8")):
    a = T.allocate([1], "int8", "global")
    s = T.allocate([1], "int8", "global")
    a_1 = T.Buffer((1,), "int8", data=a)
    s_1 = T.Buffer((1,), "int8", data=s)
    a_1[0] = x[0]
    s_1[0] = x[1]
    y[0] = s_1[0]
    a_1[0] = a_1[0] + T.int8(1)
    y[1] = a_1[0]
