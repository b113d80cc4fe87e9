# RUN: my-opt %s --pipeline=unroll-short-loops | FileCheck %s
# RUN: my-opt %s --pipeline='unroll-short-loops{most=2},simplify' | FileCheck %s --check-prefix=TWO
# RUN: not my-opt %s --pipeline=unrol-short-loops 2>&1 | FileCheck %s --check-prefix=NEAR

@T.prim_func
def f(A: T.Buffer((8,), "int32")):
    # CHECK: for i in T.unroll(3):
    # TWO: for i in range(3):
    for i in range(3):
        A[i] = 1
    # CHECK: for j in range(8):
    for j in range(8):
        A[j] = 2

# NEAR: error: unknown pass `unrol-short-loops`; did you mean `unroll-short-loops`?
