# Large functions are optimized separately, on several threads; the code is the same for any number of threads.
# REQUIRES: llvm
# RUN: rm -rf %t && mkdir %t
# RUN: tenon compile %plain %s --emit=obj -O3 --threads=1 -o %t/1.o && tenon compile %plain %s --emit=obj -O3 --threads=2 -o %t/2.o
# RUN: tenon compile %plain %s --emit=obj -O3 --threads=4 -o %t/4.o && tenon compile %plain %s --emit=obj -O3 -o %t/all.o
# RUN: cmp %t/1.o %t/2.o && cmp %t/1.o %t/4.o && cmp %t/1.o %t/all.o
# RUN: tenon compile %plain %s --emit=obj -O2 -g --threads=1 -o %t/g1.o && tenon compile %plain %s --emit=obj -O2 -g --threads=4 -o %t/g4.o
# RUN: cmp %t/g1.o %t/g4.o

# An operator is not inlined into its caller; small functions are inlined at every call, and linkages do not change.
# RUN: tenon compile %plain %s --emit=llvm-ir -O2 --target=x86_64-linux-gnu -o - | FileCheck %s --implicit-check-not=hidden --implicit-check-not=clamp --implicit-check-not=available_externally
# CHECK: @tvmgen_default_global_const_workspace = private unnamed_addr constant [96 x i8] {{.*}}, section ".rodata.tvm", align 16
# CHECK: @tvmgen_default_global_workspace = internal global
# CHECK: define internal {{.*}}@tvmgen_default_first(
# CHECK: define internal {{.*}}@tvmgen_default_second(
# CHECK: define internal {{.*}}@tvmgen_default_third(
# CHECK: define {{.*}}i32 @tvmgen_default_run(
# CHECK: call {{.*}}@tvmgen_default_first(
# CHECK: call {{.*}}@tvmgen_default_third(

# For small code, everything is inlined into one function.
# RUN: tenon compile %plain %s --emit=llvm-ir -Os --target=x86_64-linux-gnu -o - | FileCheck %s --check-prefix=SIZE --implicit-check-not="define internal"
# SIZE: define {{.*}}i32 @tvmgen_default_run(

# RUN: tenon run %s --input 37 --output %t/y.npy
# RUN: tenon run %plain %s --engine=jit -O1 --input 37 --expect %t/y.npy
# RUN: tenon run %plain %s --engine=jit -O3 --threads=3 --cpu=native --input 37 --expect %t/y.npy
# RUN: tenon compile %plain %s --emit=shared -O3 -g -o %t/model.so --timing 2>&1 | FileCheck %s --check-prefix=TIME
# TIME: seconds {{.*}}%  pass
# TIME: parser
# TIME: verification
# TIME: lower-linked-params
# TIME: plan-memory
# TIME: LLVM IR
# TIME: LLVM passes
# TIME: LLVM output
# TIME: files
# TIME: 100.0  total
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def clamp(data: T.handle("int32")):
        y = T.Buffer((16,), "int32", data=data)
        for i in range(16):
            y[i] = T.max(T.min(y[i], 900), -900)

    @T.prim_func(private=True)
    def first(x: T.Buffer((256,), "int32"), y: T.Buffer((256,), "int32")):
        T.func_attr({"tir.noalias": True})
        table = T.allocate_const([0, 3, 6, 9, 12, 15, 18, 21], "int32", [8])
        table_1 = T.Buffer((8,), "int32", data=table)
        for i in range(16):
            y[i * 16 + 0] = T.truncmod(x[i * 16 + 0] * x[i * 16 + 3] + x[i * 16 + 0] * 3 - table_1[0], 1000) + x[i * 16 + 3]
            y[i * 16 + 1] = T.truncmod(x[i * 16 + 1] * x[i * 16 + 8] + x[i * 16 + 1] * 4 - table_1[1], 1001) + x[i * 16 + 8]
            y[i * 16 + 2] = T.truncmod(x[i * 16 + 2] * x[i * 16 + 13] + x[i * 16 + 2] * 5 - table_1[2], 1002) + x[i * 16 + 13]
            y[i * 16 + 3] = T.truncmod(x[i * 16 + 3] * x[i * 16 + 2] + x[i * 16 + 3] * 6 - table_1[3], 1003) + x[i * 16 + 2]
            y[i * 16 + 4] = T.truncmod(x[i * 16 + 4] * x[i * 16 + 7] + x[i * 16 + 4] * 7 - table_1[4], 1004) + x[i * 16 + 7]
            y[i * 16 + 5] = T.truncmod(x[i * 16 + 5] * x[i * 16 + 12] + x[i * 16 + 5] * 8 - table_1[5], 1005) + x[i * 16 + 12]
            y[i * 16 + 6] = T.truncmod(x[i * 16 + 6] * x[i * 16 + 1] + x[i * 16 + 6] * 9 - table_1[6], 1006) + x[i * 16 + 1]
            y[i * 16 + 7] = T.truncmod(x[i * 16 + 7] * x[i * 16 + 6] + x[i * 16 + 7] * 10 - table_1[7], 1007) + x[i * 16 + 6]
            y[i * 16 + 8] = T.truncmod(x[i * 16 + 8] * x[i * 16 + 11] + x[i * 16 + 8] * 11 - table_1[0], 1008) + x[i * 16 + 11]
            y[i * 16 + 9] = T.truncmod(x[i * 16 + 9] * x[i * 16 + 0] + x[i * 16 + 9] * 12 - table_1[1], 1009) + x[i * 16 + 0]
            y[i * 16 + 10] = T.truncmod(x[i * 16 + 10] * x[i * 16 + 5] + x[i * 16 + 10] * 13 - table_1[2], 1010) + x[i * 16 + 5]
            y[i * 16 + 11] = T.truncmod(x[i * 16 + 11] * x[i * 16 + 10] + x[i * 16 + 11] * 14 - table_1[3], 1011) + x[i * 16 + 10]
            y[i * 16 + 12] = T.truncmod(x[i * 16 + 12] * x[i * 16 + 15] + x[i * 16 + 12] * 15 - table_1[4], 1012) + x[i * 16 + 15]
            y[i * 16 + 13] = T.truncmod(x[i * 16 + 13] * x[i * 16 + 4] + x[i * 16 + 13] * 16 - table_1[5], 1013) + x[i * 16 + 4]
            y[i * 16 + 14] = T.truncmod(x[i * 16 + 14] * x[i * 16 + 9] + x[i * 16 + 14] * 17 - table_1[6], 1014) + x[i * 16 + 9]
            y[i * 16 + 15] = T.truncmod(x[i * 16 + 15] * x[i * 16 + 14] + x[i * 16 + 15] * 18 - table_1[7], 1015) + x[i * 16 + 14]
        for i in range(16):
            Module.clamp(T.address_of(y[i * 16]))

    @T.prim_func(private=True)
    def second(x: T.Buffer((256,), "int32"), y: T.Buffer((256,), "int32")):
        T.func_attr({"tir.noalias": True})
        table = T.allocate_const([0, 7, 14, 21, 28, 35, 42, 49], "int32", [8])
        table_1 = T.Buffer((8,), "int32", data=table)
        for i in range(16):
            y[i * 16 + 0] = T.truncmod(x[i * 16 + 0] * x[i * 16 + 3] + x[i * 16 + 0] * 7 - table_1[0], 1000) + x[i * 16 + 3]
            y[i * 16 + 1] = T.truncmod(x[i * 16 + 1] * x[i * 16 + 8] + x[i * 16 + 1] * 8 - table_1[1], 1001) + x[i * 16 + 8]
            y[i * 16 + 2] = T.truncmod(x[i * 16 + 2] * x[i * 16 + 13] + x[i * 16 + 2] * 9 - table_1[2], 1002) + x[i * 16 + 13]
            y[i * 16 + 3] = T.truncmod(x[i * 16 + 3] * x[i * 16 + 2] + x[i * 16 + 3] * 10 - table_1[3], 1003) + x[i * 16 + 2]
            y[i * 16 + 4] = T.truncmod(x[i * 16 + 4] * x[i * 16 + 7] + x[i * 16 + 4] * 11 - table_1[4], 1004) + x[i * 16 + 7]
            y[i * 16 + 5] = T.truncmod(x[i * 16 + 5] * x[i * 16 + 12] + x[i * 16 + 5] * 12 - table_1[5], 1005) + x[i * 16 + 12]
            y[i * 16 + 6] = T.truncmod(x[i * 16 + 6] * x[i * 16 + 1] + x[i * 16 + 6] * 13 - table_1[6], 1006) + x[i * 16 + 1]
            y[i * 16 + 7] = T.truncmod(x[i * 16 + 7] * x[i * 16 + 6] + x[i * 16 + 7] * 14 - table_1[7], 1007) + x[i * 16 + 6]
            y[i * 16 + 8] = T.truncmod(x[i * 16 + 8] * x[i * 16 + 11] + x[i * 16 + 8] * 15 - table_1[0], 1008) + x[i * 16 + 11]
            y[i * 16 + 9] = T.truncmod(x[i * 16 + 9] * x[i * 16 + 0] + x[i * 16 + 9] * 16 - table_1[1], 1009) + x[i * 16 + 0]
            y[i * 16 + 10] = T.truncmod(x[i * 16 + 10] * x[i * 16 + 5] + x[i * 16 + 10] * 17 - table_1[2], 1010) + x[i * 16 + 5]
            y[i * 16 + 11] = T.truncmod(x[i * 16 + 11] * x[i * 16 + 10] + x[i * 16 + 11] * 18 - table_1[3], 1011) + x[i * 16 + 10]
            y[i * 16 + 12] = T.truncmod(x[i * 16 + 12] * x[i * 16 + 15] + x[i * 16 + 12] * 19 - table_1[4], 1012) + x[i * 16 + 15]
            y[i * 16 + 13] = T.truncmod(x[i * 16 + 13] * x[i * 16 + 4] + x[i * 16 + 13] * 20 - table_1[5], 1013) + x[i * 16 + 4]
            y[i * 16 + 14] = T.truncmod(x[i * 16 + 14] * x[i * 16 + 9] + x[i * 16 + 14] * 21 - table_1[6], 1014) + x[i * 16 + 9]
            y[i * 16 + 15] = T.truncmod(x[i * 16 + 15] * x[i * 16 + 14] + x[i * 16 + 15] * 22 - table_1[7], 1015) + x[i * 16 + 14]
        for i in range(16):
            Module.clamp(T.address_of(y[i * 16]))

    @T.prim_func(private=True)
    def third(x: T.Buffer((256,), "int32"), y: T.Buffer((256,), "int32")):
        T.func_attr({"tir.noalias": True})
        table = T.allocate_const([0, 11, 22, 33, 44, 55, 66, 77], "int32", [8])
        table_1 = T.Buffer((8,), "int32", data=table)
        for i in range(16):
            y[i * 16 + 0] = T.truncmod(x[i * 16 + 0] * x[i * 16 + 3] + x[i * 16 + 0] * 11 - table_1[0], 1000) + x[i * 16 + 3]
            y[i * 16 + 1] = T.truncmod(x[i * 16 + 1] * x[i * 16 + 8] + x[i * 16 + 1] * 12 - table_1[1], 1001) + x[i * 16 + 8]
            y[i * 16 + 2] = T.truncmod(x[i * 16 + 2] * x[i * 16 + 13] + x[i * 16 + 2] * 13 - table_1[2], 1002) + x[i * 16 + 13]
            y[i * 16 + 3] = T.truncmod(x[i * 16 + 3] * x[i * 16 + 2] + x[i * 16 + 3] * 14 - table_1[3], 1003) + x[i * 16 + 2]
            y[i * 16 + 4] = T.truncmod(x[i * 16 + 4] * x[i * 16 + 7] + x[i * 16 + 4] * 15 - table_1[4], 1004) + x[i * 16 + 7]
            y[i * 16 + 5] = T.truncmod(x[i * 16 + 5] * x[i * 16 + 12] + x[i * 16 + 5] * 16 - table_1[5], 1005) + x[i * 16 + 12]
            y[i * 16 + 6] = T.truncmod(x[i * 16 + 6] * x[i * 16 + 1] + x[i * 16 + 6] * 17 - table_1[6], 1006) + x[i * 16 + 1]
            y[i * 16 + 7] = T.truncmod(x[i * 16 + 7] * x[i * 16 + 6] + x[i * 16 + 7] * 18 - table_1[7], 1007) + x[i * 16 + 6]
            y[i * 16 + 8] = T.truncmod(x[i * 16 + 8] * x[i * 16 + 11] + x[i * 16 + 8] * 19 - table_1[0], 1008) + x[i * 16 + 11]
            y[i * 16 + 9] = T.truncmod(x[i * 16 + 9] * x[i * 16 + 0] + x[i * 16 + 9] * 20 - table_1[1], 1009) + x[i * 16 + 0]
            y[i * 16 + 10] = T.truncmod(x[i * 16 + 10] * x[i * 16 + 5] + x[i * 16 + 10] * 21 - table_1[2], 1010) + x[i * 16 + 5]
            y[i * 16 + 11] = T.truncmod(x[i * 16 + 11] * x[i * 16 + 10] + x[i * 16 + 11] * 22 - table_1[3], 1011) + x[i * 16 + 10]
            y[i * 16 + 12] = T.truncmod(x[i * 16 + 12] * x[i * 16 + 15] + x[i * 16 + 12] * 23 - table_1[4], 1012) + x[i * 16 + 15]
            y[i * 16 + 13] = T.truncmod(x[i * 16 + 13] * x[i * 16 + 4] + x[i * 16 + 13] * 24 - table_1[5], 1013) + x[i * 16 + 4]
            y[i * 16 + 14] = T.truncmod(x[i * 16 + 14] * x[i * 16 + 9] + x[i * 16 + 14] * 25 - table_1[6], 1014) + x[i * 16 + 9]
            y[i * 16 + 15] = T.truncmod(x[i * 16 + 15] * x[i * 16 + 14] + x[i * 16 + 15] * 26 - table_1[7], 1015) + x[i * 16 + 14]
        for i in range(16):
            Module.clamp(T.address_of(y[i * 16]))

    @T.prim_func
    def __tvm_main__(n: T.int32, y: T.Buffer((256,), "int32")):
        T.func_attr({"global_symbol": "__tvm_main__", "tir.noalias": True})
        x = T.allocate([256], "int32", "global")
        a = T.allocate([256], "int32", "global")
        b = T.allocate([256], "int32", "global")
        x_1 = T.Buffer((256,), "int32", data=x)
        for i in range(256):
            x_1[i] = n * i % 211 - 100
        Module.first(x, a)
        Module.second(a, b)
        Module.third(b, y.data)
