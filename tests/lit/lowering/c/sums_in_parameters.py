# Sums in a buffer of the caller, which another function then reads as unsigned numbers. GCC 12.2 at -O3 lost some of them when
# their elements were signed (GCC bug 107212).
# RUN: rm -rf %t && mkdir %t && cd %t
# RUN: %python -c "import struct; data = bytes(i * i % 256 for i in range(32)); \
# RUN:   head = str(dict(descr='|i1', fortran_order=False, shape=(32,))).ljust(117) + chr(10); \
# RUN:   open('x.npy', 'wb').write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode() + data)"
# RUN: tenon run %s --input x.npy --output y.npy -q
# RUN: tenon run %plain %s --input x.npy --expect y.npy --engine=c '--cflags=-std=c99 -O3' -q
# RUN: tenon compile %plain %s --emit=c -o c -q && FileCheck %s --input-file=c/tvmgen_default.c
from tvm.script import ir as I
from tvm.script import tir as T

# CHECK: tenon_uint32* s_sums = (tenon_uint32*)(&s[0]);
# CHECK: s_sums[j] = (uint32_t){{.*}}s_sums[j];
@I.ir_module
class Module:
    @T.prim_func
    def add(x: T.Buffer((32,), "int8"), s: T.Buffer((8,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for j in range(8):
            s[j] = 0
        for i in range(4):
            for j in range(8):
                s[j] = T.Cast("int32", x[i * 8 + j]) + s[j]

    @T.prim_func
    def weigh(s: T.Buffer((8,), "int32"), y: T.Buffer((2,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        y[0] = s[0] * 3 + s[1]
        y[1] = s[2] + s[3] * 5

    @T.prim_func
    def __tvm_main__(x: T.Buffer((32,), "int8"), y: T.Buffer((2,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        s = T.allocate([8], "int32", "global")
        T.call_extern("int32", "add", x.data, s)
        T.call_extern("int32", "weigh", s, y.data)
