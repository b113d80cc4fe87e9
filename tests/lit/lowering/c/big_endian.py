# The C fails to compile for a big-endian machine if constants would have other values there: if types share bytes, or if bytes
# are stored as they are. Arrays and structs of numbers are correct everywhere.
# RUN: rm -rf %t && split-file --leading-lines %s %t
# RUN: tenon compile %plain %t/alone.py --emit=c -o %t/alone
# RUN: FileCheck %s --input-file=%t/alone/tvmgen_default.c --check-prefix=RIGHT
# RIGHT-NOT: #error
# RUN: %cc -DTENON_BIG_ENDIAN -c %t/alone/tvmgen_default.c -o %t/alone.o

# RUN: tenon compile %plain %t/shared.py --emit=c -o %t/shared
# RUN: FileCheck %s --input-file=%t/shared/tvmgen_default.c
# CHECK:      #include "tenon_runtime.h"
# CHECK-EMPTY:
# CHECK-NEXT: TENON_GENERATED_SOURCE
# CHECK-EMPTY:
# CHECK-NEXT: #if defined(TENON_BIG_ENDIAN)
# CHECK-NEXT: #error "the bytes of constants are for little-endian machines"
# CHECK-NEXT: #endif
# RUN: %cc -c %t/shared/tvmgen_default.c -o %t/shared.o
# RUN: not %cc -DTENON_BIG_ENDIAN -c %t/shared/tvmgen_default.c -o %t/shared.o 2>&1 | FileCheck %s --check-prefix=ERROR
# ERROR: #error "the bytes of constants

# RUN: tenon compile %plain %t/shared.py --emit=c --merge-constants=off -o %t/apart
# RUN: FileCheck %s --input-file=%t/apart/tvmgen_default.c --check-prefix=RIGHT
# RUN: tenon compile %plain %t/zeros.py --emit=c -o %t/zeros
# RUN: FileCheck %s --input-file=%t/zeros/tvmgen_default.c --check-prefix=RIGHT
# RUN: tenon compile %plain %t/slice.py --emit=c --merge-constants=off -o %t/slice
# RUN: FileCheck %s --input-file=%t/slice/tvmgen_default.c
# RUN: tenon compile %plain %t/slice.py --emit=c --merge-constants=off --workspace-pools=ram -o %t/slice_in_no_pool
# RUN: FileCheck %s --input-file=%t/slice_in_no_pool/tvmgen_default.c

# Bytes of the caller's pools, compressed bytes, and bytes of a file.
# RUN: tenon compile %plain %t/alone.py --emit=c --constant-pools=flash -o %t/caller
# RUN: FileCheck %s --input-file=%t/caller/tvmgen_default.c
# RUN: tenon compile %plain %t/long.py --emit=c --compress-constants=lz4 -o %t/packed
# RUN: FileCheck %s --input-file=%t/packed/tvmgen_default.c --check-prefix=FILE
# RUN: tenon compile %plain %t/alone.py --emit=c --constant-storage=incbin -o %t/incbin
# RUN: FileCheck %s --input-file=%t/incbin/tvmgen_default_constants.h --check-prefix=FILE
# RUN: tenon compile %plain %t/alone.py --emit=c --constant-storage=file -o %t/file
# RUN: FileCheck %s --input-file=%t/file/tvmgen_default_constants.h --check-prefix=FILE
# FILE: #error "the bytes of constants

# An object is for one kind of machine, and the linker refuses it for others.
# RUN: tenon compile %plain %t/alone.py --emit=c --constant-storage=object --target=x86_64-linux-gnu -o %t/object
# RUN: FileCheck %s --input-file=%t/object/tvmgen_default.c --check-prefix=RIGHT

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
