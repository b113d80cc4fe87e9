# The spelling of 0.18 and later: return, integral floats with a point, plain values in targets.
#
# RUN: grep -v "^ *#" %s > %t.in
# RUN: tenon-opt %s | grep -v "^ *#" > %t.out
# RUN: diff %t.in %t.out
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4,), "float32"), n: T.int32) -> T.int32:
        T.func_attr({"target": T.target({"keys": ["cpu"], "kind": "c", "tag": "", "workspace-byte-alignment": 16})})
        A[0] = T.float32(1.0)
        A[1] = T.float32(-0.0)
        A[2] = T.float32(0.10000000149011612)
        A[3] = T.float32(100000000000000000000.0)
        return n + 1
