# TVM's functions of some builtins' names make other expressions than a call. Such calls have the form T.Call.
# RUN: tenon-opt %s -o %t.py && tenon-opt %t.py --compare=%s
# RUN: FileCheck %s --input-file=%t.py
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((8,), "float32"), h: T.Buffer((8,), "float16"), q: T.Buffer((8,), "int32"), b: T.Buffer((8,), "bool")):
    # CHECK: b[0] = T.Call("bool", "tir.isinf", [x[0]])
    b[0] = T.Call("bool", "tir.isinf", [x[0]])
    # CHECK: b[1] = T.Call("bool", "tir.isfinite", [x[1]])
    b[1] = T.Call("bool", "tir.isfinite", [x[1]])
    # CHECK: b[2] = T.isnan(x[2])
    b[2] = T.isnan(x[2])
    # CHECK: b[3] = T.Call("bool", "tir.isnan", [h[3]])
    b[3] = T.Call("bool", "tir.isnan", [h[3]])
    # CHECK: x[0] = T.floor(x[0]) + T.fabs(x[1])
    x[0] = T.Call("float32", "tir.floor", [x[0]]) + T.Call("float32", "tir.fabs", [x[1]])
    # CHECK: q[0] = T.Call("int32", "tir.floor", [q[0]]) + T.Call("int32", "tir.fabs", [q[1]])
    q[0] = T.Call("int32", "tir.floor", [q[0]]) + T.Call("int32", "tir.fabs", [q[1]])
