# Sums of products of unsigned and signed 8-bit integers: VPDPBUSD, USDOT and SDOT, on processors that have them.
# RUN: tenon compile %s --emit=asm -O2 --target=x86_64-linux-gnu --cpu=icelake-server -o - | FileCheck %s --check-prefixes=QUAD,WIDE
# RUN: tenon compile %s --emit=asm -O2 --target=x86_64-linux-gnu --cpu=alderlake -o - | FileCheck %s --check-prefix=QUAD
# RUN: tenon compile %s --emit=asm -O2 --target=x86_64-linux-gnu --cpu=x86-64-v4 -o - | FileCheck %s --check-prefix=NONE
# RUN: tenon compile %s --emit=asm -O2 --target=aarch64-linux-gnu --cpu=neoverse-n2 -o - | FileCheck %s --check-prefix=MIXED
# RUN: tenon compile %s --emit=asm -O2 --target=aarch64-linux-gnu --cpu=cortex-a76 -o - | FileCheck %s --check-prefix=SIGNED
# RUN: tenon compile %s --emit=asm -O2 --target=aarch64-linux-gnu --cpu=cortex-a53 -o - | FileCheck %s --check-prefix=NONE
# MIXED: {{usdot|sudot}}
# SIGNED: sdot
# QUAD: vpdpbusd
# WIDE-SAME: %zmm
# NONE-NOT: {{vpdpbusd|sdot}}
# All products of two bytes, in each of the four places. The results are those of the interpreter.
# RUN: %python %S/Inputs/byte_products.py %t.py %t.x.npy
# RUN: tenon run %t.py --input x=%t.x.npy --output y=%t.npy -q
# RUN: tenon run %t.py --input x=%t.x.npy --expect y=%t.npy --engine=jit -O0 -q
# RUN: tenon run %t.py --input x=%t.x.npy --expect y=%t.npy --engine=jit -O2 -q
# RUN: tenon run %t.py --input x=%t.x.npy --expect y=%t.npy --engine=jit -O3 -q
# RUN: tenon run %t.py --input x=%t.x.npy --expect y=%t.npy --engine=jit -O2 --cpu=x86-64 -q
# Other x86 multiplies pairs, of even and of odd bytes.
# RUN: tenon run %t.py --input x=%t.x.npy --expect y=%t.npy --engine=jit -O3 --cpu=x86-64 -q
# RUN: tenon run %t.py --input x=%t.x.npy --expect y=%t.npy --engine=jit -O3 --cpu=x86-64-v3 -q
# RUN: tenon run %t.py --input x=%t.x.npy --expect y=%t.npy --engine=c -q
# from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((64,), "uint8"), y: T.Buffer((128,), "int32")):
    T.func_attr({"tir.noalias": T.bool(True)})
    w = T.allocate_const([-128, -91, -54, -17, 20, 57, 94, -125, -88, -51, -14, 23, 60, 97, -122, -85, -48, -11, 26, 63, 100, -119, -82, -45, -8, 29, 66, 103, -116, -79, -42, -5, 32, 69, 106, -113, -76, -39, -2, 35, 72, 109, -110, -73, -36, 1, 38, 75, 112, -107, -70, -33, 4, 41, 78, 115, -104, -67, -30, 7, 44, 81, 118, -101, -64, -27, 10, 47, 84, 121, -98, -61, -24, 13, 50, 87, 124, -95, -58, -21, 16, 53, 90, 127, -92, -55, -18, 19, 56, 93, -126, -89, -52, -15, 22, 59, 96, -123, -86, -49, -12, 25, 62, 99, -120, -83, -46, -9, 28, 65, 102, -117, -80, -43, -6, 31, 68, 105, -114, -77, -40, -3, 34, 71, 108, -111, -74, -37], "int8", [128])
    w_1 = T.Buffer((128,), "int8", data=w)
    for i, c in T.grid(8, 16):
        y[i * 16 + c] = 0
        for k in range(8):
            y[i * 16 + c] = y[i * 16 + c] + T.Cast("int32", x[i * 8 + k]) * T.Cast("int32", w_1[k * 16 + c])
