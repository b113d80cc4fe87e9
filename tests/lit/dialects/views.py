# Buffers over the data of other buffers.
#
# RUN: tenon-opt %s --split-input-file --dialect=tirx | FileCheck %s --check-prefix=TIRX
# RUN: tenon-opt %s --split-input-file --dialect=tir | FileCheck %s --check-prefix=TIR

# from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((16,), "int32")):
    # TIRX: B = A.view(4, 4)
    # TIRX-NEXT: C = A.view("int16")
    # TIRX-NEXT: D = T.decl_buffer((8,), "int32", data=A.data, elem_offset=8)
    # TIR: B = T.decl_buffer((4, 4), "int32", data=A.data)
    # TIR-NEXT: C = T.decl_buffer((32,), "int16", data=A.data)
    # TIR-NEXT: D = T.decl_buffer((8,), "int32", data=A.data, elem_offset=8)
    B = T.decl_buffer((4, 4), "int32", data=A.data)
    C = T.decl_buffer((32,), "int16", data=A.data)
    D = T.decl_buffer((8,), "int32", data=A.data, elem_offset=8)
    B[0, 0] = D[0]
    C[0] = T.int16(1)

# -----
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def f(A: T.Buffer((16,), "int32")):
    # TIRX: B = A.view(4, 4)
    # TIRX-NEXT: C = A.view("int16")
    # TIRX-NEXT: D = T.decl_buffer((16,), "int32", data=A.data)
    # TIR: B = T.decl_buffer((4, 4), "int32", data=A.data)
    # TIR-NEXT: C = T.decl_buffer((32,), "int16", data=A.data)
    # TIR-NEXT: D = T.decl_buffer((16,), "int32", data=A.data)
    B = A.view(4, 4)
    C = A.view("int16")
    D = T.decl_buffer((16,), "int32", data=A.data, layout=None)
    B[0, 0] = D[0]
    C[0] = T.int16(1)
