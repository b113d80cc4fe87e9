# Extents and offsets that only callers know are not part of the interface: uses are located errors.
# RUN: not tenon compile %s --emit=c -o %t 2>&1 | FileCheck %s
# RUN: not ls %t
# CHECK: errors_symbolic_shapes.py:[[#@LINE+8]]:{{[0-9]+}}: error: cannot generate C for the variable `n`, which has no value here [lowering-c]
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle, y: T.Buffer((4,), "int32")):
        n = T.int32()
        A = T.match_buffer(a, (n,), "int32")
        for i in range(n):
            y[0] = y[0] + A[i]
