# `x: T.int32 = e` is a let in `tir`, and a mutable variable in `tirx`: only the dialect
# decides.
#
# RUN: tenon-opt %s --split-input-file --dialect=tirx | FileCheck %s --check-prefix=TIRX
# RUN: tenon-opt %s --split-input-file --dialect=tir | FileCheck %s --check-prefix=TIR

# from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((4,), "int32")):
    # TIRX: x: T.let[T.int32] = A[0]
    # TIRX-NEXT: p: T.let[T.handle("int32", "global")] = A.data
    # TIRX-NEXT: A[1] = x
    # TIR: x: T.int32 = A[0]
    # TIR-NEXT: p: T.handle("int32", "global") = A.data
    # TIR-NEXT: A[1] = x
    x: T.int32 = A[0]
    p: T.handle("int32", "global") = A.data
    A[1] = x

# -----
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "int32")):
    # TIRX: x: T.int32 = A[0]
    # TIRX-NEXT: x = x * 2
    # TIRX-NEXT: y: T.int32
    # TIRX-NEXT: T.evaluate(y.buffer.data)
    # TIRX-NEXT: y = x + 1
    # TIRX-NEXT: A[1] = x + y
    # TIR: x = T.decl_buffer((1,), "int32", scope="local")
    # TIR-NEXT: x[0] = A[0]
    # TIR-NEXT: x[0] = x[0] * 2
    # TIR-NEXT: y = T.decl_buffer((1,), "int32", scope="local")
    # TIR-NEXT: T.evaluate(y.data)
    # TIR-NEXT: y[0] = x[0] + 1
    # TIR-NEXT: A[1] = x[0] + y[0]
    x: T.int32 = A[0]
    x *= 2
    y: T.int32
    T.evaluate(y.buffer.data)
    y = x + 1
    A[1] = x + y

# -----
# from tvm.script import tirx as T
@T.prim_func
def f(A: T.Buffer((4,), "int32"), S: T.Buffer((1,), "int32")):
    # TIRX: def f(A: T.Buffer((4,), "int32"), S: T.Buffer((1,), "int32")):
    # TIRX-NEXT: z = T.alloc_scalar("int32", "shared")
    # TIRX-NEXT: z = A[0]
    # TIRX-NEXT: S = z + S
    # TIR: z = T.decl_buffer((1,), "int32", scope="shared")
    # TIR-NEXT: z[0] = A[0]
    # TIR-NEXT: S[0] = z[0] + S[0]
    z = T.shared_scalar("int32")
    z = A[0]
    S[0] = z + S
