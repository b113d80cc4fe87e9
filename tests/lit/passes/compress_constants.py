# Constants are stored compressed if that saves enough bytes.
# RUN: tenon-opt %s --pipeline='compress-constants{pool=sram}' | FileCheck %s --check-prefix=LZ4
# RUN: tenon-opt %s --pipeline='compress-constants{codec=zstd pool=sram}' | FileCheck %s --check-prefix=ZSTD
# RUN: tenon-opt %s --pipeline='compress-constants{min_ratio=1000}' | FileCheck %s --check-prefix=NONE
# RUN: tenon-opt %s --pipeline='compress-constants{budget=64}' | FileCheck %s --check-prefix=NONE
# RUN: tenon-opt %s --pipeline='promote-constants{pool=sram},compress-constants{budget=0}' | FileCheck %s --check-prefix=LZ4
# RUN: not tenon-opt %s --pipeline='compress-constants{codec=gzip}' 2>&1 | FileCheck %s --check-prefix=CODEC
# RUN: tenon-opt %s --pipeline='compress-constants' -o %t.py
# RUN: tenon run %s --output %t.npy
# RUN: tenon run %t.py --expect %t.npy
# RUN: tenon run %t.py --expect %t.npy --engine=c --repeat=2

# LZ4: I.constant("w", {{.*}}, "int8", [4]{{.*}}), I.constant("v", I.splat(7), "int32", [64], load="sram", codec="lz4")
# ZSTD: I.constant("v", I.splat(7), "int32", [64], load="sram", codec="zstd")
# NONE-NOT: codec=
# CODEC: unknown codec `gzip`, expected lz4 or zstd

# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("w", [1, 2, 3, 4], "int8", [4]), I.constant("v", I.splat(7), "int32", [64])]})
    @T.prim_func
    def main(y: T.Buffer((4,), "int32")):
        w = T.allocate_const(I.constant("w"), "int8", [4])
        w_1 = T.Buffer((4,), "int8", data=w)
        v = T.allocate_const(I.constant("v"), "int32", [64])
        v_1 = T.Buffer((64,), "int32", data=v)
        for i in range(4):
            y[i] = T.Cast("int32", w_1[i]) + v_1[i * 16]
