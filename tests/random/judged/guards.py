# A store under a condition does not certainly write.
from tvm.script import ir as I
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((16,), "int8"), y: T.Buffer((16,), "int8")):
    a = T.allocate([16], "int8", "global")
    b = T.allocate([4], "int8", "global")
    c = T.allocate([16], "int8", "global")
    p = T.allocate([1], "int8", "global")
    s = T.allocate([16], "int8", "global")
    a_1 = T.Buffer((16,), "int8", data=a)
    b_1 = T.Buffer((4,), "int8", data=b)
    c_1 = T.Buffer((16,), "int8", data=c)
    p_1 = T.Buffer((1,), "int8", data=p)
    s_1 = T.Buffer((16,), "int8", data=s)
    p_1[0] = x[2]
    for i in range(16):
        a_1[i] = x[i]
        c_1[i] = x[i]
    for i in range(4):
        b_1[i] = x[i]
    for i in range(16):
        s_1[i] = x[15 - i]
    y[0] = s_1[3]
    b_1.vstore([T.Ramp(0, 1, 4)], T.Broadcast(T.int8(5), 4), predicate=T.Broadcast(p_1[0] < T.int8(64), 4))
    for t in range(4):
        c_1.vstore([T.Ramp(t * 4, 1, 4)], T.Broadcast(T.int8(5), 4), predicate=T.Broadcast(x[t] < T.int8(64), 4))
    for i in range(16):
        if x[i] < T.int8(64):
            a_1[i] = T.int8(7)
    for i in range(16):
        y[i] = a_1[i] + b_1[i % 4] + c_1[i] + y[0]
