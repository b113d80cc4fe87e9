# Parameters of `T.index_map` are int64 if the body has an int64 number, also one without `T.int64`.
#
# RUN: tenon-opt --verify-roundtrip %s | FileCheck %s
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4,), "int32")):
        # CHECK: "add": T.index_map(lambda i: (i + T.int64(1099511627776),))
        # CHECK-SAME: "cast": T.index_map(lambda i: (T.Cast("int64", i),))
        # CHECK-SAME: "constant": T.index_map(lambda i: (T.int64(0), i))
        # CHECK-SAME: "inverse": T.index_map(lambda i: (i,), inverse_index_map=lambda j: (j * T.int64(4294967296),))
        # CHECK-SAME: "large": T.index_map(lambda i: (i // T.int64(2147483648), i % T.int64(4)))
        # CHECK-SAME: "small": T.index_map(lambda i: (i // 2147483647, i % 4))
        T.func_attr({"add": T.index_map(lambda i: (i + (1 << 40),)), "cast": T.index_map(lambda i: (T.Cast("int64", i),)), "constant": T.index_map(lambda i: (T.int64(0), i)), "inverse": T.index_map(lambda i: (i,), inverse_index_map=lambda j: (j * (65536 * 65536),)), "large": T.index_map(lambda i: (i // 2147483648, i % 4)), "small": T.index_map(lambda i: (i // 2147483647, i % 4))})
        A[0] = 0
