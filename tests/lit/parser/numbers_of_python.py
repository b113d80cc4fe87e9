# Arithmetic on numbers happens while the text is read, by the rules of Python.
#
# RUN: tenon-opt %s | FileCheck %s
# RUN: tenon-opt %s | tenon-opt --verify-roundtrip > /dev/null

# from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((40,), "int32"), F: T.Buffer((16,), "float32"), B: T.Buffer((16,), "bool")):
    # CHECK: A[0] = 4
    A[0] = 7 & 12
    # CHECK-NEXT: A[1] = 15
    A[1] = 7 | 8
    # CHECK-NEXT: A[2] = 5
    A[2] = 7 ^ 2
    # CHECK-NEXT: A[3] = 48
    A[3] = 3 << 4
    # CHECK-NEXT: A[4] = 12
    A[4] = 100 >> 3
    # CHECK-NEXT: A[5] = 0
    A[5] = 100 >> 70
    # CHECK-NEXT: A[6] = -1
    A[6] = -100 >> 70
    # A quotient is rounded down, and a remainder has the sign of the divisor.
    # CHECK-NEXT: A[7] = -4
    A[7] = -7 // 2
    # CHECK-NEXT: A[8] = 1
    A[8] = -7 % 2
    # CHECK-NEXT: A[9] = 7
    A[9] = -7 // -1
    # CHECK-NEXT: A[10] = 0
    A[10] = -7 % -1
    # CHECK-NEXT: A[11] = 5
    A[11] = +5
    # `and` and `or` give one of their operands.
    # CHECK-NEXT: A[12] = 4
    A[12] = 3 and 4
    # CHECK-NEXT: A[13] = 0
    A[13] = 0 and 4
    # CHECK-NEXT: A[14] = 3
    A[14] = 3 or 4
    # CHECK-NEXT: A[15] = 4
    A[15] = 0 or 4
    # Constants of TIR are folded to their width.
    # CHECK-NEXT: A[16] = 8
    A[16] = T.int32(12) & T.int32(10)
    # CHECK-NEXT: A[17] = 15
    A[17] = T.int32(12) | T.int32(3)
    # CHECK-NEXT: A[18] = 6
    A[18] = T.int32(12) ^ T.int32(10)
    # CHECK-NEXT: A[19] = -6
    A[19] = T.int32(-12) >> T.int32(1)
    # CHECK-NEXT: A[20] = -2147483648
    A[20] = T.int32(1) << T.int32(31)
    # CHECK-NEXT: A[21] = A[0]
    A[21] = A[0] >> 0
    # CHECK-NEXT: A[22] = A[0]
    A[22] = +A[0]
    # CHECK-NEXT: F[0] = T.float32(3.5)
    F[0] = 1.5 + 2
    # CHECK-NEXT: F[1] = T.float32(-0.5)
    F[1] = 1.5 - 2
    # CHECK-NEXT: F[2] = T.float32(3)
    F[2] = 1.5 * 2
    # CHECK-NEXT: F[3] = T.float32(1.5)
    F[3] = 3 / 2
    # CHECK-NEXT: F[4] = T.float32(-4)
    F[4] = -7.5 // 2
    # CHECK-NEXT: F[5] = T.float32(0.5)
    F[5] = -7.5 % 2
    # CHECK-NEXT: B[0] = T.bool(True)
    B[0] = 1 < 2
    # CHECK-NEXT: B[1] = T.bool(False)
    B[1] = 1 <= 0
    # CHECK-NEXT: B[2] = T.bool(False)
    B[2] = 1.5 > 2
    # CHECK-NEXT: B[3] = T.bool(True)
    B[3] = 2.5 >= 2.5
    # CHECK-NEXT: B[4] = T.bool(True)
    B[4] = 1 == 1.0
    # CHECK-NEXT: B[5] = T.bool(False)
    B[5] = 1 != 1
    # CHECK-NEXT: B[6] = T.bool(True)
    B[6] = 18446744073709551615 > 5
    # CHECK-NEXT: B[7] = T.bool(False)
    B[7] = not 1
    # CHECK-NEXT: B[8] = T.bool(True)
    B[8] = not 0.0
