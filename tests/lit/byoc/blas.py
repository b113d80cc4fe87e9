# A matrix product becomes a call of CBLAS. Packed weights are unpacked at compile time, and the packed ones are removed.
# RUN: tenon-opt %s --pipeline='recognise-ops,annotate-targets{targets=blas:openblas},merge-regions{min-macs=0},partition' -o %t.py
# RUN: tenon compile %t.py -o %t.c 2>&1 | FileCheck %s --check-prefix=LINK
# RUN: FileCheck %s --input-file=%t.c/tvmgen_default.c
# LINK: link with -lopenblas
# CHECK: void cblas_sgemm(int32_t, int32_t, int32_t, int32_t, int32_t, int32_t, float, const void*, int32_t, const void*, int32_t, float, void*, int32_t);
# CHECK-NOT: [60]
# CHECK: w{{.*}}[60]
# CHECK-NOT: [60]
# CHECK: 0.5f, 1.0f, 1.5f, 2.0f, 2.5f, -0.5f, -1.0f,
# CHECK: cblas_sgemm(101, 111, 111, 4, 10, 6, 1.0f, &p0[0], 6, &p{{[0-9]}}[0], 10, 0.0f, &p1[0], 10);
# CHECK-NEXT: for (int32_t m = 0; m < 4; ++m) {
# CHECK: p1[m * 10 + n0 * 5 + n1] = tenon_max_f32(p1[m * 10 + n0 * 5 + n1] + {{.*}}, 0.0f);

# The packed text computes the same as the original text, and builds the same.
# RUN: tenon compile %t.py -o %t.again --dump-dir=%t.dumps 2>/dev/null
# RUN: %python -c "import glob, shutil, sys; shutil.copy(glob.glob(sys.argv[1] + '/*update-constants*.py')[0], sys.argv[2])" %t.dumps %t.packed.py
# RUN: FileCheck %s --check-prefix=PACKED --input-file=%t.packed.py
# PACKED: tvmgen_default_blas_openblas_main_0_w_matrix
# PACKED-LABEL: def tvmgen_default_blas_openblas_main_0_dense(
# PACKED: "tenon.op": {"kind": "matmul"
# RUN: tenon compile %t.packed.py -o %t.from_packed 2>/dev/null
# RUN: diff %t.c/tvmgen_default.c %t.from_packed/tvmgen_default.c
# RUN: %python %S/Inputs/matrix.py %t.x.npy 4 6
# RUN: tenon run %s --input %t.x.npy --output %t.y.npy
# RUN: tenon run %t.packed.py --input %t.x.npy --expect %t.y.npy

# The default rule keeps it on the host: the call costs more than it gains. The rule depends on how the
# host's code is generated.
# RUN: tenon-opt %s --pipeline='recognise-ops,annotate-targets{targets=blas},merge-regions' | FileCheck %s --check-prefix=SMALL
# SMALL: "blas: a matrix with a side below 16"
# RUN: tenon-opt %S/Inputs/matmul.py --pipeline='recognise-ops,annotate-targets{targets=blas},merge-regions{host=llvm,vector:32,optimised}' | FileCheck %s --check-prefix=REGION
# RUN: tenon-opt %S/Inputs/matmul.py --pipeline='recognise-ops,annotate-targets{targets=blas},merge-regions{host=c}' | FileCheck %s --check-prefix=REGION
# REGION: T.attr(0, "tenon.region", "blas")
# RUN: tenon-opt %S/Inputs/matmul.py --pipeline='recognise-ops,annotate-targets{targets=blas},merge-regions{host=llvm,vector:64,optimised}' | FileCheck %s --check-prefix=WIDE
# WIDE: "blas: loops with vectors of 64 bytes are as fast"
# RUN: not tenon-opt %S/Inputs/matmul.py --pipeline='merge-regions{host=fortran}' 2>&1 | FileCheck %s --check-prefix=HOST
# RUN: not tenon-opt %S/Inputs/matmul.py --pipeline='annotate-targets{targets=blas host=vector:x}' 2>&1 | FileCheck %s --check-prefix=HOST
# HOST: option `host` is not like `llvm,vector:64,optimised,contract,cpu:NAME`

# BLAS is not used if float results must be bit-exact.
# RUN: tenon compile %s --targets=blas --offload-floats=bitwise --byoc-report -o %t.c 2>/dev/null | FileCheck %s --check-prefix=BITWISE
# BITWISE: dense -> host: {{.*}}not blas: BLAS adds floats in its own order

# from tvm.script import ir as I
# from tvm.script import tir as T
@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer((4, 6), "float32"), y: T.Buffer((4, 10), "float32")):
        T.tvm_check_return(0, -1, T.call_extern("int32", "dense", x.data, y.data))

    # Weights are packed in blocks of five columns.
    @T.prim_func
    def dense(x: T.Buffer((4, 6), "float32"), y: T.Buffer((4, 10), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        w = T.allocate_const([0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5, 7, 7.5, 8, 8.5, 9, 9.5, 10, 10.5, 11, 11.5, 12, 12.5, 13, 13.5, 14, 14.5, 15, -0.5, -1, -1.5, -2, -2.5, -3, -3.5, -4, -4.5, -5, -5.5, -6, -6.5, -7, -7.5, -8, -8.5, -9, -9.5, -10, -10.5, -11, -11.5, -12, -12.5, -13, -13.5, -14, -14.5, -15], "float32", [2, 6, 5])
        bias = T.allocate_const([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], "float32", [10])
        w_1 = T.Buffer((60,), data=w)
        bias_1 = T.Buffer((10,), data=bias)
        x_1 = T.Buffer((24,), data=x.data)
        y_1 = T.Buffer((40,), data=y.data)
        acc = T.allocate([1], "float32", "global")
        acc_1 = T.Buffer((1,), data=acc)
        for i, jo, ji in T.grid(4, 2, 5):
            acc_1[0] = T.float32(0)
            for k in range(6):
                acc_1[0] = acc_1[0] + x_1[i * 6 + k] * w_1[jo * 30 + k * 5 + ji]
            y_1[i * 10 + jo * 5 + ji] = T.max(acc_1[0] + bias_1[jo * 5 + ji], T.float32(0))
