# `tenon compile` merges constants unless TVM's layout is requested, by its name or that of a planner;
# the number of bytes, and the order of constants.
# RUN: rm -rf %t
# RUN: tenon compile %plain %s -o %t/default && FileCheck %s --check-prefix=EXACT --input-file=%t/default/tvmgen_default.h
# RUN: tenon compile %plain %s -o %t/off --merge-constants=off && FileCheck %s --check-prefix=OFF --input-file=%t/off/tvmgen_default.h
# RUN: tenon compile %plain %s -o %t/subrange --merge-constants=subrange && FileCheck %s --check-prefix=SUBRANGE --input-file=%t/subrange/tvmgen_default.h
# RUN: tenon compile %plain %s -o %t/tvm --layout=tvm && FileCheck %s --check-prefix=TVM --input-file=%t/tvm/tvmgen_default.h
# RUN: tenon compile %plain %s -o %t/greedy --planner=greedy_by_size && FileCheck %s --check-prefix=TVM --input-file=%t/greedy/tvmgen_default.h
# RUN: FileCheck %s --check-prefix=TVM-ORDER --input-file=%t/tvm/tvmgen_default.c
# RUN: FileCheck %s --check-prefix=TVM-ORDER --input-file=%t/greedy/tvmgen_default.c
# RUN: tenon compile %plain %s -o %t/first --merge-constants=off --layout=first_use && FileCheck %s --check-prefix=FIRST --input-file=%t/first/tvmgen_default.c
# RUN: not tenon compile %plain %s -o %t/bad --merge-constants=all 2>&1 | FileCheck %s --check-prefix=BAD
# RUN: not tenon-opt --pipeline='assign-pool-info,plan-memory{constants=random}' %s 2>&1 | FileCheck %s --check-prefix=ORDER
# The report counts shared bytes once.
# RUN: tenon report %plain %s --json=%t/report.json && FileCheck %s --check-prefix=REPORT --input-file=%t/report.json

# EXACT: CONSTANTS_SIZE 136
# OFF: CONSTANTS_SIZE 152
# SUBRANGE: CONSTANTS_SIZE 128
# TVM: CONSTANTS_SIZE 152
# TVM-ORDER: z_let[64]; /* 64 bytes at 0 */
# TVM-ORDER: tenon_int8 a_let[64]; /* 64 bytes at 64 */
# FIRST: c_let[8]; /* 8 bytes at 0 */
# FIRST: a_let[64]; /* 64 bytes at 16 */
# BAD: tenon: error: --merge-constants: expected one of off, exact, subrange; found `all`
# ORDER: constants in the order random, expected packed, first_use or tvm
# REPORT: "constant_bytes": 136

@T.prim_func
def main(B: T.Buffer((8,), "int8")):
    c = T.allocate_const([9, 9, 9, 9, 9, 9, 9, 8], "int8", [8])
    a = T.allocate_const([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 9, 9, 9, 9, 9, 9, 9, 8, 9, 10, 11, 12, 13, 14, 15, 16, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16], "int8", [64])
    d = T.allocate_const([9, 9, 9, 9, 9, 9, 9, 8], "uint8", [2, 4])
    z = T.allocate_const([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], "int8", [64])
    c_1 = T.Buffer((8,), "int8", data=c)
    a_1 = T.Buffer((64,), "int8", data=a)
    d_1 = T.Buffer((2, 4), "uint8", data=d)
    z_1 = T.Buffer((64,), "int8", data=z)
    for i in range(8):
        B[i] = a_1[i + 16] + c_1[i] + T.Cast("int8", d_1[i // 4, i % 4]) + z_1[i]
