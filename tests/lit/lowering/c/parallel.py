# Parallel loops become separate functions, which capture variables of the enclosing function under the same
# names. Nested loops, loops of one iteration, and loops that return stay loops.
# RUN: rm -rf %t %t.serial && tenon compile %s --emit=c --parallel=threads -o %t && tenon compile %s --emit=c -o %t.serial
# RUN: FileCheck %s --input-file=%t/tvmgen_default.c
# RUN: ls %t | FileCheck %s --check-prefix=FILES
# RUN: ls %t.serial | FileCheck %s --check-prefix=SERIAL
# RUN: not grep PARALLEL %t.serial/tvmgen_default.c
# FILES: tenon_parallel.c
# FILES-NEXT: tenon_parallel.h
# SERIAL-NOT: parallel

# The function that the program links replaces the default.
# RUN: rm -rf %t.hook && tenon compile %s --emit=c --parallel=hook -o %t.hook
# RUN: ls %t.hook | FileCheck %s --check-prefix=HOOK-FILES
# RUN: FileCheck %s --check-prefix=HOOK --input-file=%t.hook/tvmgen_default.c
# HOOK-FILES-NOT: tenon_parallel.c
# HOOK-FILES: tenon_parallel.h
# HOOK: #include "tenon_parallel.h"
# HOOK: TENON_WEAK int32_t tenon_parallel_for(
# RUN: not tenon compile %s --emit=c --parallel=no -o %t.hook 2>&1 | FileCheck %s --check-prefix=WRONG
# RUN: not tenon compile %s --emit=c --parallel-copies=0 -o %t.hook 2>&1 | FileCheck %s --check-prefix=WRONG
# WRONG: tenon: error: --parallel

# A module that is already planned has serial loops.
# RUN: tenon-opt %s --pipeline='assign-pool-info,plan-memory,convert-pool-allocations-to-offsets' -o %t.planned.py
# RUN: rm -rf %t.planned && tenon compile %t.planned.py --emit=c --parallel=threads -o %t.planned
# RUN: not grep PARALLEL %t.planned/tvmgen_default.c

# CHECK: #include "tenon_parallel.h"
# CHECK: struct tvmgen_default_main_loop_vars {
# CHECK-NEXT:   tenon_int32* y;
# CHECK-NEXT:   const tenon_int32* c_let;
# CHECK-NEXT:   tenon_uint8* w_let;
# CHECK-NEXT:   const tenon_int32* x;
# CHECK-NEXT:   int32_t v;
# CHECK-NEXT: };
# CHECK-NEXT: static int32_t tvmgen_default_main_loop(void* context, int64_t begin, int64_t end) {
# CHECK-NEXT:   const struct tvmgen_default_main_loop_vars* const outer = (const struct tvmgen_default_main_loop_vars*)context;
# CHECK-NEXT:   tenon_int32* TENON_RESTRICT y = outer->y;
# CHECK-NEXT:   const tenon_int32* c_let = outer->c_let;
# CHECK-NEXT:   tenon_uint8* w_let = outer->w_let;
# CHECK-NEXT:   const tenon_int32* TENON_RESTRICT x = outer->x;
# CHECK-NEXT:   const int32_t v = outer->v;
# CHECK-NEXT:   for (int64_t n_1 = begin; n_1 < end; ++n_1) {
# CHECK-NEXT:     const int32_t i = (int32_t)n_1;
# CHECK-NEXT:     y[i] = c_let[i];
# CHECK-NEXT:     for (int32_t j = 0; j < 2; ++j) {
# CHECK-NEXT:       w_let[i * 2 + j] =
# CHECK-NEXT:     }
# CHECK-NEXT:     if (!(0 <= x[i])) {
# CHECK-NEXT:       return -1;
# CHECK:   return 0;
# CHECK-NEXT: }

# CHECK: static int32_t tvmgen_default_main_loop_1(void* context, int64_t begin, int64_t end) {
# CHECK:   const int32_t i_begin = outer->i_begin;
# CHECK-NEXT:   for (int64_t n_1 = begin; n_1 < end; ++n_1) {
# CHECK-NEXT:     const int32_t i = (int32_t)((uint32_t)(i_begin) + (uint32_t)n_1);

# CHECK: static int32_t tvmgen_default_main_loop_2(void* context, int64_t begin, int64_t end) {
# CHECK-NEXT:   (void)context;
# CHECK-NEXT:   for (int64_t n_1 = begin; n_1 < end; ++n_1) {
# CHECK-NEXT:     const int64_t i = (int64_t)((int64_t)(INT64_C(3)) + (int64_t)n_1);
# CHECK-NEXT:     (void)i;
# CHECK-NEXT:     if (f() != 0) {

# CHECK: static int32_t tvmgen_default_main(
# CHECK:     struct tvmgen_default_main_loop_vars vars = {y, c_let, w_let, x, v};
# CHECK-NEXT:     const int32_t code = TENON_PARALLEL_FOR(tvmgen_default_main_loop, &vars, (int64_t)(8));
# CHECK-NEXT:     if (code != 0) {
# CHECK-NEXT:       return code;
# CHECK:     const int32_t i_begin = n[0];
# CHECK-NEXT:     struct tvmgen_default_main_loop_1_vars vars = {y, i_begin};
# CHECK-NEXT:     const int32_t code = TENON_PARALLEL_FOR(tvmgen_default_main_loop_1, &vars, (int64_t)(n[1]));
# CHECK:     const int32_t code = TENON_PARALLEL_FOR(tvmgen_default_main_loop_2, NULL, (int64_t)(INT64_C(8)));
# CHECK:   for (int32_t i = 0; i < 1; ++i) {
# CHECK:   for (int32_t i = 0; i < 8; ++i) {
# CHECK:     return 0;
from tvm.script import ir as I
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32"), n: T.Buffer((2,), "int32")):
    T.func_attr({"global_symbol": "main", "tir.noalias": True})
    w = T.allocate([16], "uint8", "global")
    w_1 = T.Buffer((16,), "uint8", data=w)
    c = T.allocate_const([1, 2, 3, 4, 5, 6, 7, 8], "int32", [8])
    c_1 = T.Buffer((8,), "int32", data=c)
    v: T.int32 = x[0] + 1
    for i in T.parallel(8):
        y[i] = c_1[i]
        for j in T.parallel(2):
            w_1[i * 2 + j] = T.Cast("uint8", x[i] + v)
        assert 0 <= x[i], "negative"
        y[i] = T.Cast("int32", w_1[i * 2 + 1])
    for i in T.parallel(n[0], n[0] + n[1]):
        y[i] = 2
    for i in T.parallel(T.int64(3), T.int64(11)):
        T.evaluate(T.tvm_check_return(0, -1, T.call_extern("int32", "f")))
    for i in T.parallel(1):
        y[i] = 3
    for i in T.parallel(8):
        T.evaluate(T.ret(0))
