# Constructs that C lacks are located errors.
# RUN: not tenon compile %s --emit=c -o %t 2>&1 | FileCheck %s
# CHECK: errors.py:[[#]]:{{[0-9]+}}: error: cannot generate C for {{.*}}`nobody`{{.*}} [lowering-c]
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8")):
        T.call_packed("nobody", x.data, y.data)
        y[0] = x[0]
