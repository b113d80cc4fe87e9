from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def pool(x: T.Buffer((1, 5, 6, 3), "int8"), y: T.Buffer((1, 3, 3, 3), "int8")):
        T.func_attr({"tir.noalias": T.bool(True)})
        m = T.allocate([1], "int8", "global")
        m_1 = T.Buffer((1,), "int8", data=m)
        for h, w, c in T.grid(3, 3, 3):
            m_1[0] = T.int8(-128)
            for kh, kw in T.grid(3, 3):
                m_1[0] = T.max(m_1[0], T.if_then_else(1 <= h * 2 + kh and h * 2 + kh < 6 and 1 <= w * 2 + kw and w * 2 + kw < 7, x[0, h * 2 + kh - 1, w * 2 + kw - 1, c], T.int8(-128)))
            y[0, h, w, c] = T.max(m_1[0], T.int8(-7))

    @T.prim_func
    def main(x: T.Buffer((1, 5, 6, 3), "int8"), y: T.Buffer((1, 3, 3, 3), "int8")):
        T.tvm_check_return(0, -1, T.call_extern("int32", "pool", x.data, y.data))
