# Each pool has its own alignment: the one it declares, and the one that its contents need.
# RUN: rm -rf %t && mkdir %t
# RUN: tenon compile %plain %s --emit=c -o %t/own --constant-alignment=64 --report=%t/own.json
# RUN: FileCheck %s --input-file=%t/own/tvmgen_default.c --check-prefix=OWN
# OWN: global_const_workspace TENON_CONST_SECTION(".rodata.tvm") TENON_ALIGNED(64) = {
# OWN: global_workspace[16] TENON_SECTION(".bss.noinit.tvm") TENON_ALIGNED(16);
# RUN: FileCheck %s --input-file=%t/own.json --check-prefix=REPORT
# REPORT: "global_const_workspace": {
# REPORT: "alignment": 64,
# REPORT: "global_workspace": {
# REPORT: "alignment": 16,

# RUN: tenon compile %plain %s --emit=c -o %t/given '--workspace-pools=sram:64:align=32:base=0x20000008' --constant-pools=flash:align=128
# RUN: FileCheck %s --input-file=%t/given/tvmgen_default.h --check-prefix=GIVEN
# GIVEN: #define TVMGEN_DEFAULT_FLASH_CONSTANT_POOL_ALIGNMENT 128
# GIVEN: #define TVMGEN_DEFAULT_SRAM_WORKSPACE_POOL_SIZE 40
# GIVEN-NEXT: #define TVMGEN_DEFAULT_SRAM_WORKSPACE_POOL_ALIGNMENT 32
# GIVEN-NEXT: /* Its address must be 8 plus a multiple of this alignment. */

# RUN: %python %S/../../tools/Inputs/npy.py %t/x.npy i1 4 1 -2 3 127
# RUN: tenon run %s --input %t/x.npy --output %t/y.npy
# RUN: tenon run %plain %s --cc=%cc --input %t/x.npy --expect %t/y.npy --engine=c '--workspace-pools=sram:64:align=32:base=0x20000008' --constant-pools=flash:align=128 '--cflags=-std=c99 -O1 -fsanitize=alignment -fsanitize-undefined-trap-on-error'

# A constant with an alignment, in a pool.
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int32")):
        T.func_attr({"global_symbol": "main"})
        w = T.allocate_const([1, -2, 3, 4], "int8", [4])
        t = T.allocate([4], "int32", "global")
        w_1 = T.Buffer((4,), "int8", data=w)
        t_1 = T.Buffer((4,), "int32", data=t)
        for i in range(4):
            t_1[i] = T.Cast("int32", x[i]) * T.Cast("int32", w_1[i])
        for i in range(4):
            y[i] = t_1[3 - i]
