# plan only
# A pointer that is stored may be used to the end of its scope, also in later iterations.
from tvm.script import ir as I
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((16,), "int8"), h: T.Buffer((1,), "uint64"), y: T.Buffer((16,), "int8")):
    T.func_attr({"tenon.externs": {"later": ["r"]}})
    a = T.allocate([16], "int8", "global")
    s = T.allocate([16], "int8", "global")
    a_1 = T.Buffer((16,), "int8", data=a)
    s_1 = T.Buffer((16,), "int8", data=s)
    for t in range(3):
        for i in range(16):
            s_1[i] = x[15 - i]
        y[t] = s_1[3]
        T.evaluate(T.call_extern("int32", "later", h.data))
        for i in range(16):
            a_1[i] = x[i]
        h[0] = T.reinterpret("uint64", a)
