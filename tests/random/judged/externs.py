# plan only
# Code outside of the module accesses its arguments as it declares.
from tvm.script import ir as I
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((16,), "int8"), y: T.Buffer((16,), "int8")):
    T.func_attr({"tenon.externs": {"reads": ["r"], "writes": ["w"], "overwrites": ["r", "o"]}})
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
        b_1[i] = x[i]
        c_1[i] = x[i]
    for i in range(16):
        s_1[i] = x[15 - i]
    y[0] = s_1[3]
    T.evaluate(T.call_extern("int32", "writes", b))
    T.evaluate(T.call_extern("int32", "overwrites", x.data, T.address_of(c_1[8])))
    T.evaluate(T.call_extern("int32", "reads", a))
    for i in range(16):
        y[i] = b_1[i] + c_1[i]
