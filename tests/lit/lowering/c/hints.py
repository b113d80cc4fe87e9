# Hints for GCC in C for small machines: operators stay apart, and short innermost loops are written out.
# RUN: rm -rf %t && tenon compile %s --emit=c --target=cortex-m4 --module-name=m --optimize=off --fuse=off --narrow=off -o %t
# RUN: FileCheck %s --input-file=%t/tvmgen_m.c

# CHECK-LABEL: static TENON_APART int32_t tvmgen_m_taps(
# CHECK:      for (int32_t i = 0; i < 62; ++i) {
# CHECK-NEXT:   TENON_UNROLL(3)
# CHECK-NEXT:   for (int32_t j = 0; j < 3; ++j) {

# More than 16 stores, or more than four iterations.
# CHECK-LABEL: static TENON_APART int32_t tvmgen_m_many(
# CHECK-NOT:  TENON_UNROLL
# Functions without loops gain nothing.
# CHECK-LABEL: static int32_t tvmgen_m_plain(

# Other machines may have vectors.
# RUN: rm -rf %t && tenon compile %s --emit=c --module-name=m --optimize=off --fuse=off --narrow=off -o %t
# RUN: FileCheck %s --check-prefix=ANY --input-file=%t/tvmgen_m.c
# ANY-NOT: TENON_APART
# ANY-NOT: TENON_UNROLL

from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def taps(A: T.Buffer((64,), "int32"), B: T.Buffer((62,), "int32")):
        for i in range(62):
            for j in range(3):
                if A[i + j] > 0:
                    B[i] = B[i] + A[i + j]

    @T.prim_func(private=True)
    def many(A: T.Buffer((64,), "int32"), B: T.Buffer((62,), "int32")):
        for i in range(4):
            B[i] = A[i]
            B[i + 10] = A[i]
            B[i + 20] = A[i]
            B[i + 30] = A[i]
            B[i + 40] = A[i]
        for i in range(5):
            B[i] = A[i]

    @T.prim_func(private=True)
    def plain(A: T.Buffer((64,), "int32"), B: T.Buffer((62,), "int32")):
        B[0] = A[1]

    @T.prim_func
    def main(x: T.Buffer((64,), "int32"), y: T.Buffer((62,), "int32")):
        Module.taps(x.data, y.data)
        Module.many(x.data, y.data)
        Module.plain(x.data, y.data)
