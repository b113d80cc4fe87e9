# Compilers do not warn about variables, parameters and constants that the C does not read.
# RUN: rm -rf %t && tenon compile %s --emit=c --constant-storage=c-array -o %t
# RUN: FileCheck %s --input-file=%t/tvmgen_default.c
# RUN: %cc -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror -I%t -c %t/tvmgen_default.c -o %t/model.o
# RUN: tenon compile %s --emit=c --parallel=hook -o %t/hook
# RUN: FileCheck --check-prefix=HOOK %s --input-file=%t/hook/tvmgen_default.c
# RUN: %cc -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror -I%t/hook -c %t/hook/tvmgen_default.c -o %t/model.o
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    # The array is only written: a call gives its elements.
    # CHECK-LABEL: int32_t tvmgen_default_only_written(void) {
    # CHECK: tenon_int32 s[2] TENON_ALIGNED(16);
    # CHECK-NEXT: (void)s;
    # CHECK-NEXT: s[0] = f();
    @T.prim_func
    def only_written():
        s = T.allocate([2], "int32", "global")
        s_1 = T.Buffer((2,), "int32", data=s)
        s_1[0] = T.call_extern("int32", "f")

    # CHECK-LABEL: int32_t tvmgen_default_read(tenon_int32* y) {
    # CHECK: tenon_int32 s[2] TENON_ALIGNED(16);
    # CHECK-NEXT: s[0] = f();
    # CHECK-NEXT: y[0] = s[0];
    @T.prim_func
    def read(y: T.Buffer((2,), "int32")):
        s = T.allocate([2], "int32", "global")
        s_1 = T.Buffer((2,), "int32", data=s)
        s_1[0] = T.call_extern("int32", "f")
        y[0] = s_1[0]

    # C has no prefetches, no unused addresses and no views of storage. Nothing else reads these names.
    # CHECK: tenon_int32* y) {
    # CHECK-NEXT: (void)x;
    # CHECK-NEXT: (void)z;
    # CHECK-NEXT: (void)n;
    # CHECK-NEXT: const int32_t v = y[1];
    # CHECK-NEXT: (void)v;
    # CHECK-NEXT: y[0] = 1;
    @T.prim_func
    def unread(x: T.Buffer((4,), "int32"), z: T.Buffer((4,), "int32"), n: T.int32, y: T.Buffer((4,), "int32")):
        T.prefetch(x, [T.Range(0, 4)])
        p: T.handle("int32") = T.address_of(z[1])
        q: T.handle("int32") = p
        c = T.allocate_const([1, 2], "int32", [2])
        v: T.int32 = y[1]
        w = T.decl_buffer((2,), "int32", data=c)
        y[0] = 1

    # Addresses of different types.
    # CHECK-LABEL: int32_t tvmgen_default_chosen(int32_t n, tenon_int32* a, tenon_float32* b) {
    # CHECK: n > 0 ? (void*)a : (void*)b
    @T.prim_func
    def chosen(n: T.int32, a: T.Buffer((4,), "int32"), b: T.Buffer((4,), "float32")):
        p: T.handle = T.if_then_else(n > 0, a.data, b.data)
        T.evaluate(T.call_extern("int32", "g", p))

    # The function of a parallel loop reads no variable of the loop, and stores to an array of the function around it.
    # HOOK-LABEL: tvmgen_default_loop_loop(
    # HOOK: (void)i;
    @T.prim_func
    def loop(y: T.Buffer((4,), "int32")):
        s = T.allocate([2], "int32", "global")
        s_1 = T.Buffer((2,), "int32", data=s)
        for i in T.parallel(4):
            T.evaluate(T.call_extern("int32", "f"))
        s_1[0] = T.call_extern("int32", "f")
