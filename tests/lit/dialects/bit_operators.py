# Bit operators are calls in `tir`.
#
# RUN: tenon-opt %s --split-input-file --dialect=tirx | FileCheck %s --check-prefix=TIRX
# RUN: tenon-opt %s --split-input-file --dialect=tir | FileCheck %s --check-prefix=TIR

# from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "uint8")):
    # TIRX: A[0] = (A[0] >> 2) + (A[1] & 3) | A[2] ^ 1
    # TIRX-NEXT: B[0] = ~B[0] & B[1] << T.uint8(1)
    # TIRX-NEXT: A[1] = ~~A[0] * ~(A[1] + 2)
    # TIRX-NEXT: A[2] = A[0] << (A[1] << 2)
    # TIRX-NEXT: A[3] = T.shift_right(8, 2)
    # TIR: A[0] = T.bitwise_or(T.shift_right(A[0], 2) + T.bitwise_and(A[1], 3), T.bitwise_xor(A[2], 1))
    A[0] = T.bitwise_or(T.shift_right(A[0], 2) + T.bitwise_and(A[1], 3), T.bitwise_xor(A[2], 1))
    B[0] = T.bitwise_and(T.bitwise_not(B[0]), T.shift_left(B[1], T.uint8(1)))
    A[1] = T.bitwise_not(T.bitwise_not(A[0])) * T.bitwise_not(A[1] + 2)
    A[2] = T.shift_left(A[0], T.shift_left(A[1], 2))
    A[3] = T.shift_right(8, 2)

# -----
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "int32")):
    # TIRX: A[0] = (A[0] >> 2) + (A[1] & 3) | A[2] ^ 1
    # TIRX-NEXT: A[1] = (A[0] << 2) * 3
    # TIR: A[0] = T.bitwise_or(T.shift_right(A[0], 2) + T.bitwise_and(A[1], 3), T.bitwise_xor(A[2], 1))
    # TIR-NEXT: A[1] = T.shift_left(A[0], 2) * 3
    A[0] = (A[0] >> 2) + (A[1] & 3) | A[2] ^ 1
    A[1] = (A[0] << 2) * 3
