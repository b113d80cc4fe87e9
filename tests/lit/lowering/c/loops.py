# Loops, branches, lets and assertions. All loops are serial. Bounds in memory are read once, before the
# loop. Names are free again after their block.
# RUN: rm -rf %t && tenon compile %s --emit=c -o %t
# RUN: FileCheck %s --input-file=%t/tvmgen_default.c

# CHECK: static int32_t tvmgen_default_main(const tenon_int32* x, tenon_int32* y, tenon_int32* n) {

# Serial, unrolled and parallel loops are the same.
# CHECK-NEXT: for (int32_t i = 0; i < 8; ++i) {
# CHECK-NEXT: y[i] = x[i];
# CHECK-NEXT: }
# CHECK-NEXT: for (int32_t i = 0; i < 8; ++i) {
# CHECK-NEXT: y[i] = x[i];
# CHECK-NEXT: }
# CHECK-NEXT: for (int32_t i = 0; i < 8; ++i) {
# CHECK-NEXT: y[i] = x[i];
# CHECK-NEXT: }
# CHECK-NEXT: for (int32_t i = 2; i < 6; ++i) {

# The end is in memory that the loop writes.
# CHECK: const int32_t [[END:[a-z_]+]] = n[0];
# CHECK-NEXT: for (int32_t i = 0; i < [[END]]; ++i) {
# CHECK-NEXT: n[0] = 0;

# Begin and extent are in memory.
# CHECK-DAG: const int32_t [[BEGIN:[a-z_]+]] = x[1];
# CHECK-DAG: const int32_t [[EXTENT:[a-z_]+]] = (int32_t)((uint32_t)x[2] - (uint32_t)x[1]);
# CHECK: for (int32_t [[N:[a-z0-9_]+]] = 0; [[N]] < [[EXTENT]]; ++[[N]]) {
# CHECK-NEXT: const int32_t i = (int32_t)((uint32_t)[[BEGIN]] + (uint32_t)[[N]]);
# CHECK-NEXT: y[i] = 1;

# CHECK: for (int64_t i = 0; i < INT64_C(8); ++i) {

# A loop in a loop.
# CHECK: for (int32_t i = 0; i < 8; ++i) {
# CHECK-NEXT: TENON_KEEP_ORDER();
# CHECK-NEXT: for (int32_t j = 0; j < i; ++j) {
# CHECK-NEXT: y[j] = i;

# CHECK: if (x[0] < 3 && x[1] == 2) {
# CHECK-NEXT: y[0] = 1;
# CHECK-NEXT: } else {
# CHECK-NEXT: y[0] = 2;

# CHECK: while (n[0] < 5) {
# CHECK-NEXT: n[0] = (int32_t)((uint32_t)n[0] + 1U);

# The first `v` has a block, after which the second has the same name.
# CHECK: {
# CHECK-NEXT: const int32_t v = (int32_t)((uint32_t)x[0] + (uint32_t)x[1]);
# CHECK-NEXT: y[0] = (int32_t)((uint32_t)v * (uint32_t)v);
# CHECK-NEXT: }
# CHECK-NEXT: const int32_t v = x[3];

# A grid is two loops.
# CHECK-NEXT: for (int32_t i = 0; i < 2; ++i) {
# CHECK-NEXT: for (int32_t j = 0; j < 4; ++j) {
# CHECK-NEXT: y[i * 4 + j] = v;

# A message cannot end its comment, or have escapes.
# CHECK: if (!(x[0] < 8)) {
# CHECK-NEXT: return -1; /* too large *  of   it  */
# CHECK-NEXT: }
# CHECK-NEXT: y[0] = 3;
# CHECK-NEXT: return 0;
from tvm.script import ir as I
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32"), n: T.Buffer((1,), "int32")):
    for i in range(8):
        y[i] = x[i]
    for i in T.unroll(8):
        y[i] = x[i]
    for i in T.parallel(8):
        y[i] = x[i]
    for i in range(2, 6):
        y[i] = x[i]
    for i in range(n[0]):
        n[0] = 0
        y[i] = i
    for i in T.serial(x[1], x[2]):
        y[i] = 1
    for i in T.serial(T.int64(8)):
        y[i] = 1
    for i in range(8):
        for j in range(i):
            y[j] = i
    if x[0] < 3 and x[1] == 2:
        y[0] = 1
    else:
        y[0] = 2
    while n[0] < 5:
        n[0] = n[0] + 1
    with T.LetStmt(x[0] + x[1]) as v:
        y[0] = v * v
    v: T.int32 = x[3]
    for i, j in T.grid(2, 4):
        y[i * 4 + j] = v
    assert x[0] < 8, "too large */ of \\ it?"
    y[0] = 3
