# The names of a text and the places of their uses, also where a function has errors.
# RUN: not tenon-opt --print-symbols %s > %t 2> %t.errors
# RUN: FileCheck %s --input-file=%t
# RUN: FileCheck %s --input-file=%t.errors --check-prefix=ERROR
# RUN: not tenon-opt --print-symbols --pipeline=simplify %s 2>&1 | FileCheck %s --check-prefix=FLAG
# FLAG: `--print-symbols` has an effect only without --pipeline, --compare and --verify-diagnostics

# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
# CHECK: [[@LINE+1]]:7 module Module: [[@LINE+21]]:9
class Module:
    # CHECK: [[@LINE+1]]:52 constant w: [[@LINE+15]]:41
    I.module_attrs({"tenon.constants": [I.constant("w", [1, 2], "int8", [2])]})

    @T.prim_func
    # CHECK: [[@LINE+2]]:9 function broken: [[@LINE+15]]:16
    # CHECK: [[@LINE+1]]:16 buffer A: [[@LINE+3]]:13 [[@LINE+3]]:20 [[@LINE+4]]:20
    def broken(A: T.Buffer((4,), "int32")):
        # CHECK: [[@LINE+1]]:9 unknown x
        x = A[0] + A.nothing
        T.evaluate(A[0] + y)

    @T.prim_func
    # CHECK: [[@LINE+2]]:9 function main
    # CHECK: [[@LINE+1]]:14 buffer B: [[@LINE+5]]:13 [[@LINE+6]]:23
    def main(B: T.Buffer((4,), "int8")):
        p = T.allocate_const(I.constant("w"), "int8", [2])
        c = T.Buffer((2,), "int8", data=p)
        for i in range(2):
            B[i] = c[i]
        Module.broken(B.data)

# ERROR: a buffer has no attribute `nothing`
# ERROR: `y` is not defined here
