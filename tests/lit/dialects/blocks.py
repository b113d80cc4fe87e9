# Blocks, their attributes and their buffers.
#
# RUN: tenon-opt %s --split-input-file --dialect=tirx | FileCheck %s --check-prefix=TIRX
# RUN: tenon-opt %s --split-input-file --dialect=tir | FileCheck %s --check-prefix=TIR

# from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    # TIRX: # with T.sblock("root"):
    # TIRX-NEXT: C = T.sblock_alloc_buffer((4,))
    # TIRX: with T.sblock("C"):
    # TIRX: T.sblock_attr({"k": 1})
    # TIR: # with T.block("root"):
    # TIR-NEXT: C = T.alloc_buffer((4,))
    # TIR: with T.block("C"):
    # TIR: T.block_attr({"k": 1})
    C = T.alloc_buffer((4,))
    for i in range(4):
        with T.block("C"):
            vi = T.axis.spatial(4, i)
            T.reads(A[vi])
            T.writes(C[vi])
            T.block_attr({"k": 1})
            C[vi] = A[vi]

# -----
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    # TIRX: # with T.sblock("root"):
    # TIRX-NEXT: C = T.sblock_alloc_buffer((4,))
    # TIRX: with T.sblock("C"):
    # TIRX: T.sblock_attr({"k": True})
    # TIR: # with T.block("root"):
    # TIR-NEXT: C = T.alloc_buffer((4,))
    # TIR: with T.block("C"):
    # TIR: T.block_attr({"k": T.bool(True)})
    C = T.sblock_alloc_buffer((4,))
    for i in range(4):
        with T.sblock("C"):
            vi = T.axis.spatial(4, i)
            T.reads(A[vi])
            T.writes(C[vi])
            T.sblock_attr({"k": True})
            C[vi] = A[vi]
