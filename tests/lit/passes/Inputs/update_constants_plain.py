# The computation of update_constants.py, with constants that no code generator has changed.
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((4,), "int8"), y: T.Buffer((6,), "int32")):
    gone = T.allocate_const([1, 2], "int32", [2])
    gone_1 = T.Buffer((2,), "int32", data=gone)
    shared = T.allocate_const([7, 0, 0, 0, 0, 0, 0, 0], "int8", [4, 2])
    shared_1 = T.Buffer((4, 2), "int8", data=shared)
    v = T.allocate_const([-7, 3, 4, -4, 7], "int8", [5])
    v_1 = T.Buffer((5,), "int8", data=v)
    w = T.allocate_const([1, 2, 3, -4, 5, 6, 7, -8], "int8", [4, 2])
    w_1 = T.Buffer((4, 2), "int8", data=w)
    for i in range(6):
        y[i] = 0
    y[0] = gone_1[0]
    y[1] = T.Cast("int32", shared_1[0, 0])
    for i in range(5):
        y[i] = y[i] + T.Cast("int32", x[1]) * T.Cast("int32", v_1[i])
    for i, j in T.grid(2, 4):
        y[i] = y[i] + T.Cast("int32", w_1[j, i]) * T.Cast("int32", x[j])
