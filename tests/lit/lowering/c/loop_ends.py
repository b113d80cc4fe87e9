# A loop whose last number is the largest of its type ends; its counter would not reach the end.
# RUN: rm -rf %t && tenon compile %s --emit=c -o %t
# RUN: FileCheck %s --input-file=%t/tvmgen_default.c

# CHECK:      for (uint64_t n = 0; n < UINT64_C(4); ++n) {
# CHECK-NEXT:   const int8_t i = (int8_t)(UINT64_C(124) + n);
# CHECK-NEXT:   o[(int32_t)i - 124] = (int32_t)i;
# CHECK-NEXT: }

# One without iterations ends where it begins, on whichever side of zero that is.
# CHECK:      for (int32_t i = (-2); i < (-2); ++i) {
# CHECK:      for (int32_t i = 3; i < 3; ++i) {
from tvm.script import tir as T

@T.prim_func
def main(o: T.Buffer((8,), "int32")):
    for i in range(T.int8(124), T.int8(124) + T.int8(4)):
        o[T.Cast("int32", i) - 124] = T.Cast("int32", i)
    for i in range(-2, -2):
        o[i + 2] = 1
    for i in range(3, 3):
        o[i] = 1
