# Data that a target's addresses do not reach is an error, before an index wraps.
# REQUIRES: llvm
# RUN: rm -rf %t && mkdir %t
# RUN: not tenon compile %plain %s --emit=obj --target=msp430 -o %t/x.o 2>&1 | FileCheck %s
# CHECK: error: constants and workspace have 65536 bytes, and addresses of the target 16 bits [unsupported]
# RUN: not ls %t/x.o
# RUN: tenon compile %plain %s --emit=obj --target=thumbv6m-none-eabi -o %t/x.o && ls %t/x.o
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("a", I.splat(1), "int32", [16384])]})

    @T.prim_func
    def main(x: T.Buffer((1,), "int32"), y: T.Buffer((1,), "int32")):
        a = T.allocate_const(I.constant("a"), "int32", [16384])
        a_1 = T.Buffer((16384,), "int32", data=a)
        for i in range(16384):
            y[0] = y[0] + x[0] * a_1[i]
