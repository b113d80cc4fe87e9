# A loop counts from zero if its end, `min + extent`, may not fit its type: its variable would not reach the end.
# RUN: rm -rf %t && tenon compile %plain %s --emit=c -o %t
# RUN: FileCheck %s --input-file=%t/tvmgen_default.c

# CHECK:      for (int8_t n = 0; n < 4; ++n) {
# CHECK-NEXT:   const int8_t i = (int8_t)(124 + n);
# CHECK-NEXT:   o[(int32_t)i - 124] = (int32_t)i;
# CHECK-NEXT: }

# An end below the start: the variable wraps.
# CHECK:      for (uint8_t n = 0; n < 111U; ++n) {
# CHECK-NEXT:   const uint8_t i = (uint8_t)(200U + n);

# Run-time bounds, which are evaluated once.
# CHECK:      for (int32_t n = 0; n < k; ++n) {
# CHECK-NEXT:   const int32_t i = (int32_t)({{\(uint32_t\)k|5U}} + {{\(uint32_t\)n|5U}});
# CHECK:      const int32_t i_begin = o[1];
# CHECK-NEXT: const int32_t i_extent = o[2];
# CHECK-NEXT: for (int32_t n = 0; n < i_extent; ++n) {
# CHECK-NEXT:   const int32_t i = (int32_t)((uint32_t){{i_begin|n}} + (uint32_t){{i_begin|n}});

# Loops with a bounded end keep their form, also with a run-time start.
# CHECK:      for (int32_t i = 0; i < 4; ++i) {
# CHECK-NEXT:   TENON_KEEP_ORDER();
# CHECK-NEXT:   for (int32_t j = i; j < i + 4; ++j) {
# A sum with the least `k` of int32 wraps.
# CHECK:      for (int32_t n = 0; n < k; ++n) {
# CHECK-NEXT:   const int32_t i = (-7) + n;
# CHECK:      for (int8_t i = 120; i < 127; ++i) {

# A loop without iterations ends where it begins, on either side of zero.
# CHECK:      for (int32_t i = (-2); i < (-2); ++i) {
# CHECK:      for (int32_t i = 3; i < 3; ++i) {
from tvm.script import tir as T

@T.prim_func
def main(k: T.int32, o: T.Buffer((256,), "int32")):
    for i in range(T.int8(124), T.int8(124) + T.int8(4)):
        o[T.Cast("int32", i) - 124] = T.Cast("int32", i)
    for i in T.serial(T.uint8(200), T.uint8(55)):
        o[T.Cast("int32", i)] = 1
    for i in T.serial(5, 5 + k):
        o[i] = 1
    for i in T.serial(o[1], o[1] + o[2]):
        o[i] = 1
    for i in range(4):
        for j in T.serial(i, i + 4):
            o[i + j] = 1
    for i in T.serial(-7, -7 + k):
        o[i + 7] = 1
    for i in T.serial(T.int8(120), T.int8(127)):
        o[T.Cast("int32", i)] = 2
    for i in range(-2, -2):
        o[i + 2] = 1
    for i in range(3, 3):
        o[i] = 1
