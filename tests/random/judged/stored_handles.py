# plan only
# A pointer in memory may be used by code that gets the memory.
from tvm.script import ir as I
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((16,), "int8"), y: T.Buffer((16,), "int8")):
    T.func_attr({"tenon.externs": {"later": ["r"]}})
    a = T.allocate([16], "int8", "global")
    s = T.allocate([16], "int8", "global")
    h = T.allocate([1], "handle", "global")
    a_1 = T.Buffer((16,), "int8", data=a)
    s_1 = T.Buffer((16,), "int8", data=s)
    h_1 = T.Buffer((1,), "handle", data=h)
    for i in range(16):
        a_1[i] = x[i]
    h_1[0] = a
    for i in range(16):
        s_1[i] = x[15 - i]
    y[0] = s_1[3]
    T.evaluate(T.call_extern("int32", "later", h))
