# Threads count with int64. A parallel loop with more iterations runs serially; here the first five iterations do all the
# work.
# RUN: rm -rf %t && mkdir %t
# RUN: not tenon run %s --input 9223372036854775808 2>&1 | FileCheck %s --check-prefix=INTERP
# RUN: not tenon run %s --engine=c --cc=%cc --threads=2 --input 9223372036854775808 2>&1 | FileCheck %s --check-prefix=CODE
# RUN: %if llvm %{ not tenon run %s --engine=jit --threads=2 --input 9223372036854775808 2>&1 | FileCheck %s --check-prefix=CODE %}
# INTERP: parallel_count.py:[[#@LINE+13]]:{{.*}}error: assertion failed: at most five [assertion]
# CODE: error: `tvmgen_default_run` returned -1

# A loop with a bound that is known to be small runs on threads.
# RUN: tenon compile %s --emit=c --parallel=threads -o %t/c && FileCheck %s --input-file=%t/c/tvmgen_default.c
# CHECK-COUNT-1: TENON_PARALLEL_FOR(
# CHECK-NOT: TENON_PARALLEL_FOR(
from tvm.script import tir as T

@T.prim_func
def main(n: T.uint64, y: T.Buffer((1,), "int32"), z: T.Buffer((8,), "int32")):
    y[0] = 0
    for i in T.parallel(n):
        with T.Assert(y[0] < 5, "at most five"):
            y[0] = y[0] + 1
    for j in T.parallel(T.min(n, T.uint64(8))):
        z[j] = 1
