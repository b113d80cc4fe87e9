# Threads run one after the other.
# RUN: rm -rf %t && tenon compile %s --emit=c -o %t
# RUN: FileCheck %s --input-file=%t/tvmgen_default.c
from tvm.script import tir as T

# CHECK: for (int32_t tx = 0; tx < 8; ++tx) {
# CHECK-NEXT: B[tx] = A[tx];
# CHECK: for (int32_t bx = 0; bx < 2; ++bx) {
# CHECK-NEXT: for (int32_t ty = 0; ty < 4; ++ty) {
@T.prim_func
def main(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
    with T.launch_thread("threadIdx.x", 8) as tx:
        B[tx] = A[tx]
    with T.launch_thread("blockIdx.x", 2) as bx:
        with T.launch_thread("threadIdx.y", 4) as ty:
            B[bx * 4 + ty] = B[bx * 4 + ty] + A[ty]
