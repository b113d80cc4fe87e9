# Constants have the target's byte order. If constants of several types share bytes and would need different orders, that
# is an error.
# REQUIRES: llvm
# RUN: rm -rf %t && split-file --leading-lines %s %t
# RUN: tenon compile %plain %t/alone.py --emit=llvm-ir --target=s390x-linux-gnu -O0 -o - | FileCheck %s --check-prefix=BIG
# RUN: tenon compile %plain %t/alone.py --emit=llvm-ir --target=x86_64-linux-gnu -O0 -o - | FileCheck %s --check-prefix=LITTLE
# BIG: constant [20 x i8] c"\00\00\00\01\00\00\00\02\00\00\00\03\00\00\00\00\01\02\03\04"
# LITTLE: constant [20 x i8] c"\01\00\00\00\02\00\00\00\03\00\00\00\00\00\00\00\01\02\03\04"

# RUN: tenon compile %plain %t/shared.py --emit=llvm-ir --target=s390x-linux-gnu --merge-constants=off -O0 -o - | FileCheck %s --check-prefix=APART
# APART: constant [24 x i8] c"\00\00\00\01\00\00\00\02\00\00\00\00\00\00\00\00\01\00\00\00\02\00\00\00"
# RUN: not tenon compile %plain %t/shared.py --emit=llvm-ir --target=s390x-linux-gnu -o - 2>&1 | FileCheck %s --check-prefix=SHARED
# SHARED: error: `a{{.*}}` and `b{{.*}}` share bytes, but need different byte orders on a big-endian target; with --merge-constants=off
# RUN: tenon compile %plain %t/shared.py --emit=llvm-ir --target=x86_64-linux-gnu -O0 -o - | FileCheck %s --check-prefix=MERGED
# MERGED: constant [8 x i8] c"\01\00\00\00\02\00\00\00"

# Bytes that are the same in both orders may be shared, but need not be.
# RUN: tenon compile %plain %t/zeros.py --emit=llvm-ir --target=s390x-linux-gnu -O0 -o - | FileCheck %s --check-prefix=ZEROS
# ZEROS: constant [8 x i8] zeroinitializer

# Slices of a constant with another type share its bytes, even without merging, and also outside pools.
# RUN: not tenon compile %plain %t/slice.py --emit=llvm-ir --target=s390x-linux-gnu --merge-constants=off -o - 2>&1 | FileCheck %s --check-prefix=SLICE
# RUN: not tenon compile %plain %t/slice.py --emit=llvm-ir --target=s390x-linux-gnu --merge-constants=off --workspace-pools=ram -o - 2>&1 | FileCheck %s --check-prefix=SLICE
# SLICE: error: `a{{.*}}` and `b{{.*}}` share bytes

# Bytes of the caller's pools and compressed bytes are little-endian.
# RUN: not tenon compile %plain %t/alone.py --emit=llvm-ir --target=s390x-linux-gnu --constant-pools=flash -o - 2>&1 | FileCheck %s --check-prefix=CALLER
# CALLER: error: the caller-owned constant pool `flash` is little-endian, but the target is big-endian
# RUN: not tenon compile %plain %t/long.py --emit=llvm-ir --target=s390x-linux-gnu --compress-constants=lz4 -o - 2>&1 | FileCheck %s --check-prefix=PACKED
# PACKED: error: constant `{{.*}}` is compressed in little-endian form, but the target is big-endian

#--- alone.py
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((3,), "int32"), y: T.Buffer((3,), "int32")):
    a = T.allocate_const([1, 2, 3], "int32", [3])
    a_1 = T.Buffer((3,), "int32", data=a)
    b = T.allocate_const([1, 2, 3, 4], "int8", [4])
    b_1 = T.Buffer((4,), "int8", data=b)
    for i in range(3):
        y[i] = x[i] + a_1[i] + T.Cast("int32", b_1[i])

#--- shared.py
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32")):
    a = T.allocate_const([1, 2], "int32", [2])
    a_1 = T.Buffer((2,), "int32", data=a)
    b = T.allocate_const([1, 0, 0, 0, 2, 0, 0, 0], "int8", [8])
    b_1 = T.Buffer((8,), "int8", data=b)
    for i in range(8):
        y[i] = x[i] + a_1[i // 4] + T.Cast("int32", b_1[i])

#--- zeros.py
from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32")):
    a = T.allocate_const([0, 0], "int32", [2])
    a_1 = T.Buffer((2,), "int32", data=a)
    b = T.allocate_const([0, 0, 0, 0, 0, 0, 0, 0], "int8", [8])
    b_1 = T.Buffer((8,), "int8", data=b)
    for i in range(8):
        y[i] = x[i] + a_1[i // 4] + T.Cast("int32", b_1[i])

#--- slice.py
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("a", [1, 2], "int32", [2]), I.constant("b", I.slice("a", 4), "int8", [4])]})

    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        a = T.allocate_const(I.constant("a"), "int32", [2])
        a_1 = T.Buffer((2,), "int32", data=a)
        b = T.allocate_const(I.constant("b"), "int8", [4])
        b_1 = T.Buffer((4,), "int8", data=b)
        for i in range(4):
            y[i] = x[i] + a_1[i // 2] + T.Cast("int32", b_1[i])

#--- long.py
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("a", I.splat(1), "int32", [4096])]})

    @T.prim_func
    def main(x: T.Buffer((4096,), "int32"), y: T.Buffer((4096,), "int32")):
        a = T.allocate_const(I.constant("a"), "int32", [4096])
        a_1 = T.Buffer((4096,), "int32", data=a)
        for i in range(4096):
            y[i] = x[i] + a_1[i]
