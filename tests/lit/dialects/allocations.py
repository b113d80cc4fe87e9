# An allocation of `tirx` is a statement that declares a buffer.
#
# RUN: tenon-opt %s --split-input-file --dialect=tirx | FileCheck %s --check-prefix=TIRX
# RUN: tenon-opt %s --split-input-file --dialect=tir | FileCheck %s --check-prefix=TIR

# from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((4,), "int32")):
    # TIRX: B = T.alloc_buffer((64,), "int32")
    # TIRX-NEXT: B_1 = T.decl_buffer((64,), "int32", data=B.data)
    # TIRX-NEXT: B_1[0] = 1
    # TIRX-NEXT: C = T.alloc_local((8,))
    # TIRX-NEXT: C[0] = T.float32(1.0)
    # TIRX-NEXT: D = T.alloc_buffer((8,), "int8", annotations={"k": 1})
    # TIRX-NEXT: T.evaluate(D.data)
    # TIRX-NEXT: A[0] = 2
    # TIR: with T.allocate([64], "int32", "global") as B:
    # TIR: with T.decl_buffer((8,), scope="local") as C:
    # TIR: with T.allocate([8], "int8", "global", annotations={"k": 1}) as D:
    with T.allocate([64], "int32", "global") as B:
        B_1 = T.Buffer((64,), "int32", data=B)
        B_1[0] = 1
    with T.decl_buffer((8,), scope="local") as C:
        C[0] = T.float32(1.0)
    with T.allocate([8], "int8", "global", annotations={"k": 1}) as D:
        T.evaluate(D)
    A[0] = 2

# -----
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "int32")):
    # TIRX: b = T.alloc_buffer((64,), "int32", annotations={"k": 1})
    # TIRX-NEXT: c = T.alloc_local((4,))
    # TIRX-NEXT: d = T.alloc_shared((4,))
    # TIRX-NEXT: e = T.alloc_buffer((4,), scope="wmma", align=16)
    # TIR: b = T.allocate([64], "int32", "global", annotations={"k": 1})
    # TIR-NEXT: b_1 = T.decl_buffer((64,), "int32", data=b)
    # TIR-NEXT: c = T.decl_buffer((4,), scope="local")
    # TIR-NEXT: d = T.decl_buffer((4,), scope="shared")
    # TIR-NEXT: e = T.decl_buffer((4,), scope="wmma", align=16)
    b = T.alloc_buffer((64,), "int32", annotations={"k": 1})
    c = T.alloc_local((4,))
    d = T.alloc_shared((4,))
    e = T.alloc_buffer((4,), scope="wmma", align=16)
    b[0] = 1
    c[0] = d[0] + e[0]
