# plan only
# The run may end in the middle, and then needs its outputs as they are there.
from tvm.script import ir as I
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((16,), "int8"), o: T.Buffer((16,), "int8"), y: T.Buffer((1,), "int8")):
    s = T.allocate([16], "int8", "global")
    s_1 = T.Buffer((16,), "int8", data=s)
    for i in range(16):
        o[i] = x[i]
    for i in range(16):
        s_1[i] = x[15 - i]
    y[0] = s_1[3]
    if x[0] < T.int8(64):
        T.evaluate(T.ret(0))
    for i in range(16):
        o[i] = T.int8(1)
