# RUN: tenon-opt --pipeline=simplify %s | FileCheck %s

# from tvm.script import ir as I
# from tvm.script import tir as T

# Constant folding may expose a fault in code that may never run: the module stays valid.

@I.ir_module
class Module:
    # CHECK-LABEL: def divisor(
    # CHECK: for j in range(n):
    # CHECK-NEXT: A[j] = j // 0
    @T.prim_func
    def divisor(n: T.int32, A: T.Buffer((16,), "int32")):
        for i in T.serial(1):
            for j in T.serial(n):
                A[j] = j // i

    # CHECK-LABEL: def index(
    # CHECK: for j in range(n):
    # CHECK-NEXT: A[16] = T.float32(0)
    @T.prim_func
    def index(n: T.int32, A: T.Buffer((16,), "float32")):
        for i in T.serial(1):
            for j in T.serial(n):
                A[i + 16] = T.float32(0)
