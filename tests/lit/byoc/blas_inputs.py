# Weights of unknown values keep their layout: one call for each block of columns, and one for each batch.
# RUN: tenon-opt %s --pipeline='recognise-ops,annotate-targets{targets=blas:openblas},merge-regions{min-macs=0},partition' -o %t.py
# RUN: tenon compile %t.py -o %t.c 2> /dev/null
# RUN: FileCheck %s --input-file=%t.c/tvmgen_default.c
# CHECK: for (int32_t b = 0; b < 3; ++b) {
# CHECK-NEXT: for (int32_t [[N:n0?]] = 0; [[N]] < 2; ++[[N]]) {
# CHECK-NEXT: cblas_sgemm(101, 111, 111, 4, 5, 6, 1.0f, &p0[b * 24], 6, &p1[{{.*}}], 5, 0.0f, &p2[{{.*}}], 10);
# CHECK-NEXT: }
# CHECK-NEXT: }
# CHECK-NEXT: return 0;
# from tvm.script import ir as I
# from tvm.script import tir as T
@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer((3, 4, 6), "float32"), w: T.Buffer((3, 2, 6, 5), "float32"), y: T.Buffer((3, 4, 10), "float32")):
        T.tvm_check_return(0, -1, T.call_extern("int32", "batched", x.data, w.data, y.data))

    @T.prim_func
    def batched(x: T.Buffer((72,), "float32"), w: T.Buffer((180,), "float32"), y: T.Buffer((120,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for b, i, jo, ji in T.grid(3, 4, 2, 5):
            y[b * 40 + i * 10 + jo * 5 + ji] = T.float32(0)
            for k in range(6):
                y[b * 40 + i * 10 + jo * 5 + ji] = y[b * 40 + i * 10 + jo * 5 + ji] + x[b * 24 + i * 6 + k] * w[b * 60 + jo * 30 + k * 5 + ji]
