# A small unplanned allocation is an aligned array on the stack.
# RUN: rm -rf %t && tenon compile %s --emit=c -o %t
# RUN: FileCheck %s --input-file=%t/tvmgen_default.c

# CHECK: int32_t tvmgen_default_f(const tenon_int32* x, tenon_int32* y) {
# CHECK-NEXT:   tenon_int32 t[4] TENON_ALIGNED(16);
# CHECK-NEXT:   t[0] = x[3];
# CHECK-NEXT:   y[0] = t[0];
# CHECK-NEXT:   return 0;
# CHECK-NEXT: }
# CHECK-EMPTY:
# CHECK-NEXT: int32_t tvmgen_default_g(const tenon_int32* x, tenon_int32* y) {
# CHECK-NEXT:   y[0] = x[0];
# CHECK-NEXT:   return 0;
# CHECK-NEXT: }
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        t = T.allocate([4], "int32", "global")
        t_1 = T.Buffer((4,), "int32", data=t)
        t_1[0] = x[3]
        y[0] = t_1[0]

    @T.prim_func
    def g(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        y[0] = x[0]
