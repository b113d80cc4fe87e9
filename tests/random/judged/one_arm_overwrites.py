# Only one arm overwrites the buffer; the other one changes an element.
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
    if x[0] < T.int8(64):
        for i in range(16):
            a_1[i] = T.int8(3)
    else:
        a_1[2] = T.int8(4)
    for i in range(16):
        y[i] = a_1[i]
