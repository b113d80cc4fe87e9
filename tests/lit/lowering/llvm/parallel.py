# Parallel loops are functions that are passed to tenon_parallel_for, which is serial by default. Facts about parameters
# also hold there, and constants are visible everywhere. The model returns the error of a failing iteration.
# RUN: tenon compile %s --emit=llvm-ir -O0 --parallel=hook -o - | FileCheck %s
# RUN: tenon compile %s --emit=llvm-ir -O0 -o - | FileCheck %s --check-prefix=SERIAL
# RUN: tenon compile %s --emit=obj -O3 -g --parallel=threads -o %t.o
# SERIAL-NOT: parallel
# CHECK: call i32 @tenon_parallel_for(ptr @tvmgen_default_main_loop_body, ptr %vars, i64 4)
# CHECK: define internal i32 @tvmgen_default_main_loop({{.*}}ptr noalias noundef nonnull align 4 dereferenceable(32) %y, {{.*}}i64 %{{[0-9]+}}, i64 %{{[0-9]+}})
# CHECK: define weak i32 @tenon_parallel_for(ptr %0, ptr %1, i64 %2)

# RUN: rm -rf %t && mkdir %t
# RUN: %python %S/../../tools/Inputs/npy.py %t/x.npy i4 8 5 1 2 3 4 5 6 7
# RUN: %python %S/../../tools/Inputs/npy.py %t/negative.npy i4 8 5 1 2 -3 4 5 6 7
# RUN: tenon run %s --engine=jit --threads=3 --repeat=20 --input %t/x.npy --output %t/jit.npy
# RUN: tenon run %s --input %t/x.npy --output %t/interp.npy
# RUN: cmp %t/jit.npy %t/interp.npy
# RUN: tenon run %s --engine=jit --threads=2 --input %t/x.npy --json | FileCheck %s --check-prefix=JSON
# RUN: not tenon run %s --engine=jit --threads=3 --input %t/negative.npy 2>&1 | FileCheck %s --check-prefix=FAILS
# JSON: {"engine": "jit", "threads": 2, "count": 1, "median_ms": {{.*}}}
# FAILS: error: `tvmgen_default_run` returned -1
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32")):
    T.func_attr({"global_symbol": "main", "tir.noalias": True})
    c = T.allocate_const([1, 2, 3, 4, 5, 6, 7, 8], "int32", [8])
    c_1 = T.Buffer((8,), "int32", data=c)
    v: T.int32 = x[0] + 1
    for i in T.parallel(8):
        s = T.allocate([1000], "int32", "global")
        s_1 = T.Buffer((1000,), "int32", data=s)
        assert 0 <= x[i], "negative"
        for j in range(1000):
            s_1[j] = x[i] + j
        y[i] = s_1[999] + c_1[i] + v
    for i in T.parallel(x[1], x[1] + 4):
        for j in T.parallel(1):
            y[i + j] = y[i] * x[1] + v
