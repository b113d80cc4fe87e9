# Functions of the module return a value: the interpreter's results, also in LLVM's code
# (../llvm/call_results.test).
# RUN: rm -rf %t && mkdir %t
# RUN: %python %S/../../tools/Inputs/npy.py %t/x.npy f4 8 1 -2.5 inf -inf nan 0 1e30 -1e-30
# RUN: %python %S/../../tools/Inputs/npy.py %t/q.npy i4 8 7 -7 2147483647 -2147483648 0 1 12 -100
# RUN: %python %S/../../tools/Inputs/npy.py %t/u.npy u1 8 0 1 2 100 128 200 254 255
# RUN: tenon run %s --input %t/x.npy --input %t/q.npy --input %t/u.npy --output y=%t/y.npy --output o=%t/o.npy
# RUN: %python %S/../../tools/Inputs/npy.py %t/y.npy | FileCheck %s --check-prefix=FLOATS
# RUN: %python %S/../../tools/Inputs/npy.py %t/o.npy | FileCheck %s --check-prefix=INTS
# RUN: tenon run %s --engine=c --cc=%cc --input %t/x.npy --input %t/q.npy --input %t/u.npy --expect y=%t/y.npy --expect o=%t/o.npy
# RUN: tenon run %s --engine=c --cc=%cc --c-vectors=gnu --input %t/x.npy --input %t/q.npy --input %t/u.npy --expect y=%t/y.npy --expect o=%t/o.npy

# FLOATS: <f4 (8,) 2.0 -5.0 inf -inf nan 0.0 2.0000000300949324e+30 -2.0000000063421537e-30
# INTS: <i4 (16,) 0 0 0 1 1 1 1 1
# INTS-SAME: {{ }}3 -4 1073741823 -1073741824 0 0 6 -50
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def is_large(n: T.uint8) -> T.bool:
        if n > T.uint8(3):
            T.ret(T.bool(True))
        T.ret(T.bool(False))

    @T.prim_func
    def half(n: T.int32) -> T.int64:
        T.ret(n // 2)

    @T.prim_func
    def scale(n: T.float32) -> T.float32:
        T.ret(n * T.float32(2))

    @T.prim_func
    def main(x: T.Buffer((8,), "float32"), q: T.Buffer((8,), "int32"), u: T.Buffer((8,), "uint8"), y: T.Buffer((8,), "float32"), o: T.Buffer((16,), "int32")):
        for i in range(8):
            y[i] = Module.scale(x[i])
            o[i] = T.Cast("int32", Module.is_large(u[i]))
            o[8 + i] = T.Cast("int32", Module.half(q[i]))
