# Loops around loops whose iterations may store to the same elements: GCC up to 12 would vectorize them out of order. Such
# loops are marked; loops whose stores are disjoint, or have the same address in every iteration, are not.
# RUN: rm -rf %t && tenon compile %s --emit=c -o %t
# RUN: FileCheck %s --input-file=%t/tvmgen_default.c

# CHECK-LABEL: tvmgen_default_overlapping({{.*}}) {
# CHECK:      for (int32_t i = 0; i < 62; ++i) {
# CHECK-NEXT:   TENON_KEEP_ORDER();
# CHECK-NEXT:   for (int32_t j = 0; j < 3; ++j) {
# CHECK-NEXT:     B[i + j] = A[i];

# Only the loop whose iterations overlap: rows are disjoint.
# CHECK-LABEL: tvmgen_default_rows({{.*}}) {
# CHECK:      for (int32_t r = 0; r < 4; ++r) {
# CHECK-NEXT:   for (int32_t i = 0; i < 14; ++i) {
# CHECK-NEXT:     TENON_KEEP_ORDER();
# CHECK-NEXT:     for (int32_t j = 0; j < 3; ++j) {

# An index that the analysis does not follow.
# CHECK-LABEL: tvmgen_default_unknown({{.*}}) {
# CHECK:      for (int32_t i = 0; i < 62; ++i) {
# CHECK-NEXT:   TENON_KEEP_ORDER();
# CHECK-NEXT:   for (int32_t j = 0; j < 3; ++j) {

# CHECK-LABEL: tvmgen_default_counted({{.*}}) {
# CHECK:      for (uint8_t n = 0; n < 30U; ++n) {
# CHECK-NEXT:   TENON_KEEP_ORDER();
# CHECK-NEXT:   const uint8_t i = (uint8_t)(240U + n);

# CHECK-LABEL: tvmgen_default_apart({{.*}}) {
# CHECK-NOT:  TENON_KEEP_ORDER

# The index is a variable.
# CHECK-LABEL: tvmgen_default_bound({{.*}}) {
# CHECK:      for (int32_t i = 0; i < 62; ++i) {
# CHECK-NEXT:   TENON_KEEP_ORDER();

# The address depends on the loop.
# CHECK-LABEL: tvmgen_default_moved({{.*}}) {
# CHECK:      for (int32_t i = 0; i < 62; ++i) {
# CHECK-NEXT:   TENON_KEEP_ORDER();
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def overlapping(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i, j in T.grid(62, 3):
            B[i + j] = A[i]

    @T.prim_func
    def rows(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for r, i, j in T.grid(4, 14, 3):
            B[r * 16 + i + j] = A[i]

    @T.prim_func
    def unknown(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i, j in T.grid(62, 3):
            B[(i * i + j) % 64] = A[i]

    @T.prim_func
    def counted(A: T.Buffer((256,), "int32"), B: T.Buffer((258,), "int32")):
        for i in T.serial(T.uint8(240), T.uint8(14)):
            for j in range(3):
                B[T.Cast("int32", i) + j] = A[T.Cast("int32", i)]

    @T.prim_func
    def apart(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32"), C: T.Buffer((4,), "int32")):
        for i, j in T.grid(16, 4):
            B[i * 4 + j] = A[i]
        for i, j in T.grid(16, 4):
            B[j * 16 + i] = A[i]
        for i, j, k in T.grid(4, 4, 4):
            B[i * 16 + (3 - j) * 4] = A[k]
        for f, j in T.grid(16, 4):
            B[f // 4 * 16 + j * 4 + f % 4] = A[f]
        for k, j in T.grid(16, 4):
            C[j] = C[j] + A[k]
        for i in range(62):
            B[i] = A[i]
        for i, j in T.grid(16, 4):
            n: T.int32 = i * 4
            m: T.int32 = n + j
            B[m] = A[m]

    @T.prim_func
    def bound(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i, j in T.grid(62, 3):
            n: T.int32 = i + j
            B[n] = A[i]

    @T.prim_func
    def moved(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i in range(62):
            p: T.handle("int32") = T.address_of(B[i])
            q = T.Buffer((3,), "int32", data=p)
            for j in range(3):
                q[j] = A[i]
