# Calls of functions of the module, which return an error code, and of externs, which are declared as
# they are called, with const for arguments that are only read. A local never hides a function.
# RUN: rm -rf %t && tenon compile %plain %s --emit=c -o %t
# RUN: FileCheck %s --input-file=%t/tvmgen_kws.c
# RUN: FileCheck %s --input-file=%t/tvmgen_kws_externs.h --check-prefix=HEADER
# The author of an extern includes the header, so a compiler compares the types.
# RUN: echo '#include "tvmgen_kws_externs.h"' > %t/right.c
# RUN: echo 'float my_scale(float a, int64_t b) { return a * (float)b; }' >> %t/right.c
# RUN: %cc -std=c99 -Wall -Wextra -Wpedantic -Werror -I%t -c %t/right.c -o %t/right.o
# RUN: sed 's/int64_t/int32_t/' %t/right.c > %t/wrong.c
# RUN: not %cc -std=c99 -I%t -c %t/wrong.c -o %t/wrong.o 2>&1 | FileCheck %s --check-prefix=WRONG
# WRONG: my_scale

# HEADER: #ifndef TVMGEN_KWS_EXTERNS_H_
# HEADER: #include <stdint.h>
# HEADER-EMPTY:
# HEADER-NEXT: #ifdef __cplusplus
# HEADER-NEXT: extern "C" {
# HEADER-NEXT: #endif
# HEADER-NEXT: void hook(const char*, float);
# HEADER-NEXT: int32_t acc_run(const void*, void*);
# HEADER-NEXT: float my_scale(float, int64_t);
# HEADER-NEXT: #ifdef __cplusplus
# HEADER-NEXT: }
# HEADER-NEXT: #endif

# CHECK: #include "tenon_runtime.h"
# CHECK: #include "tvmgen_kws_externs.h"
# CHECK: static int32_t tvmgen_kws_inner(const tenon_int32* a, int32_t n, tenon_int32* b) {
# CHECK-NEXT:   for (int32_t i = 0; i < 4; ++i) {
# CHECK-NEXT:     b[i] = (int32_t)((uint32_t)a[i] + (uint32_t)n);
# CHECK-NEXT:   }
# CHECK-NEXT:   return 0;
# CHECK-NEXT: }
# CHECK-EMPTY:
# CHECK-NEXT: static int32_t tvmgen_kws_code(const tenon_int32* a) {
# CHECK-NEXT:   if (a[0] > 3) {
# CHECK-NEXT:     return -7;
# CHECK-NEXT:   }
# CHECK-NEXT:   return 0;
# CHECK-NEXT: }
# CHECK-EMPTY:
# CHECK-NEXT: static int32_t tvmgen_kws___tvm_main__(
# CHECK-NEXT:     const tenon_int32* TENON_RESTRICT x,
# CHECK-NEXT:     tenon_int32* TENON_RESTRICT y,
# CHECK-NEXT:     tenon_float32* TENON_RESTRICT z) {
# CHECK-NEXT:   const int32_t hook_1 = x[0];
# CHECK-NEXT:   if (tvmgen_kws_inner(x, hook_1, y) != 0) {
# CHECK-NEXT:     return -1;
# CHECK-NEXT:   }
# CHECK-NEXT:   if (tvmgen_kws_inner(x, 3, y) != 0) {
# CHECK-NEXT:     return -1;
# CHECK-NEXT:   }
# CHECK-NEXT:   if (tvmgen_kws_code(y) != 0) {
# CHECK-NEXT:     return -1;
# CHECK-NEXT:   }
# CHECK-NEXT:   if (tvmgen_kws_inner(x, 4, y) != 0) {
# CHECK-NEXT:     return -1;
# CHECK-NEXT:   }
# CHECK-NEXT:   hook("layer \"1\"\?\012", 1.5f);
# CHECK-NEXT:   if (acc_run(x, &z[1]) != 0) {
# CHECK-NEXT:     return -1;
# CHECK-NEXT:   }
# CHECK-NEXT:   z[0] = my_scale(z[1], INT64_C(3));
# CHECK-NEXT:   return 0;
# CHECK-NEXT: }
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def inner(a: T.handle("int32"), n: T.int32, b: T.handle("int32")):
        a_1 = T.Buffer((4,), "int32", data=a)
        b_1 = T.Buffer((4,), "int32", data=b)
        for i in range(4):
            b_1[i] = a_1[i] + n

    @T.prim_func
    def code(a: T.handle("int32")) -> T.int32:
        a_1 = T.Buffer((4,), "int32", data=a)
        if a_1[0] > 3:
            T.ret(-7)
        T.ret(0)

    @T.prim_func
    def __tvm_main__(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32"), z: T.Buffer((4,), "float32")):
        T.func_attr({"global_symbol": "tvmgen_kws___tvm_main__", "tir.noalias": T.bool(True), "tenon.externs": {"acc_run": ["r", "w"]}})
        hook: T.int32 = x[0]
        Module.inner(x.data, hook, y.data)
        T.call_extern("int32", "inner", x.data, 3, y.data)
        T.evaluate(T.tvm_check_return(0, -1, T.call_extern("int32", "code", y.data)))
        T.call_packed("inner", x.data, 4, y.data)
        T.call_extern("void", "hook", "layer \"1\"?\n", T.float32(1.5))
        T.evaluate(T.tvm_check_return(0, -1, T.call_extern("int32", "acc_run", x.data, T.address_of(z[1]))))
        z[0] = T.call_pure_extern("float32", "my_scale", z[1], T.int64(3))
