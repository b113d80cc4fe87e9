# Consecutive allocations do not nest C blocks: each owns the rest of its block. An allocation before other statements has its own
# block, so that compilers may share the stack.
# RUN: rm -rf %t && tenon compile %s --emit=c -o %t
# RUN: FileCheck %s --input-file=%t/tvmgen_default.c

# CHECK-LABEL: tvmgen_default_row({{.*}}) {
# CHECK-NEXT:   tenon_int32 a[4] TENON_ALIGNED(16);
# CHECK-NEXT:   a[0] = x[0];
# CHECK-NEXT:   tenon_int32 a_2[4] TENON_ALIGNED(16);
# CHECK-NEXT:   a_2[0] = a[0];
# CHECK-NEXT:   const int32_t v = a_2[0];
# CHECK-NEXT:   tenon_int32 a_4[4] TENON_ALIGNED(16);
# CHECK-NEXT:   a_4[0] = v;
# CHECK-NEXT:   for (int32_t i = 0; i < 4; ++i) {
# CHECK-NEXT:     tenon_int32 t[4] TENON_ALIGNED(16);
# CHECK-NEXT:     t[0] = a_4[0];
# CHECK-NEXT:     tenon_int32 u[4] TENON_ALIGNED(16);
# CHECK-NEXT:     u[0] = t[0];
# CHECK-NEXT:     y[i] = u[0];
# CHECK-NEXT:   }
# CHECK-NEXT:   return 0;

# CHECK-LABEL: tvmgen_default_apart({{.*}}) {
# CHECK-NEXT:   {
# CHECK-NEXT:     tenon_int32 a[4] TENON_ALIGNED(16);
# CHECK-NEXT:     a[0] = x[0];
# CHECK-NEXT:     tenon_int32 b[4] TENON_ALIGNED(16);
# CHECK-NEXT:     b[0] = a[0];
# CHECK-NEXT:     y[0] = b[0];
# CHECK-NEXT:   }
# CHECK-NEXT:   tenon_int32 a[4] TENON_ALIGNED(16);
# CHECK-NEXT:   a[0] = x[1];
# CHECK-NEXT:   y[1] = a[0];
# CHECK-NEXT:   return 0;

# The assertion is not the last statement, so the allocation in it is not the end of the block.
# CHECK-LABEL: tvmgen_default_asserted({{.*}}) {
# CHECK:        if (!(x[0] > 0)) {
# CHECK:        y[0] = 1;
# CHECK-NEXT:   {
# CHECK-NEXT:     tenon_int32 a[4] TENON_ALIGNED(16);
# CHECK-NEXT:     a[0] = x[0];
# CHECK-NEXT:     y[1] = a[0];
# CHECK-NEXT:   }
# CHECK-NEXT:   y[2] = 1;
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def row(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        a = T.allocate([4], "int32", "global")
        a_1 = T.Buffer((4,), "int32", data=a)
        a_1[0] = x[0]
        a_2 = T.allocate([4], "int32", "global")
        a_3 = T.Buffer((4,), "int32", data=a_2)
        a_3[0] = a_1[0]
        v: T.int32 = a_3[0]
        a_4 = T.allocate([4], "int32", "global")
        a_5 = T.Buffer((4,), "int32", data=a_4)
        a_5[0] = v
        for i in range(4):
            t = T.allocate([4], "int32", "global")
            t_1 = T.Buffer((4,), "int32", data=t)
            t_1[0] = a_5[0]
            u = T.allocate([4], "int32", "global")
            u_1 = T.Buffer((4,), "int32", data=u)
            u_1[0] = t_1[0]
            y[i] = u_1[0]

    @T.prim_func
    def apart(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        with T.allocate([4], "int32", "global") as a:
            a_1 = T.Buffer((4,), "int32", data=a)
            a_1[0] = x[0]
            b = T.allocate([4], "int32", "global")
            b_1 = T.Buffer((4,), "int32", data=b)
            b_1[0] = a_1[0]
            y[0] = b_1[0]
        a = T.allocate([4], "int32", "global")
        a_1 = T.Buffer((4,), "int32", data=a)
        a_1[0] = x[1]
        y[1] = a_1[0]

    @T.prim_func
    def asserted(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        with T.Assert(x[0] > 0, "positive"):
            y[0] = 1
            a = T.allocate([4], "int32", "global")
            a_1 = T.Buffer((4,), "int32", data=a)
            a_1[0] = x[0]
            y[1] = a_1[0]
        y[2] = 1
