# The interface for an application: structs of inputs and outputs, sizes, the run function; pools of
# the generated code, or of the caller, who gets their sizes and the bytes of constant pools.
# RUN: rm -rf %t && tenon compile %plain %s --emit=c -o %t
# RUN: FileCheck %s --input-file=%t/tvmgen_default.h --check-prefix=HEADER --implicit-check-not=_POOL
# RUN: FileCheck %s --input-file=%t/tvmgen_default.c --check-prefix=SOURCE
# RUN: tenon compile %plain %s --emit=c -o %t --module-name=my-net --workspace-pools=sram:64 --constant-pools=flash
# RUN: FileCheck %s --input-file=%t/tvmgen_my_net.h --check-prefix=CALLER
# RUN: FileCheck %s --input-file=%t/tvmgen_my_net.c --check-prefix=POOLS --implicit-check-not='_SECTION("'

# The header may be included twice, and from C++.
# HEADER: #ifndef [[GUARD:TVMGEN_DEFAULT_H_]]
# HEADER-NEXT: #define [[GUARD]]
# HEADER: #include <stdint.h>
# HEADER: #ifdef __cplusplus
# HEADER-NEXT: extern "C" {
# HEADER-NEXT: #endif

# Each input and output has its size and alignment.
# HEADER: /* Bytes of input `x`, int8[2, 2]. */
# HEADER-NEXT: #define TVMGEN_DEFAULT_X_SIZE 4
# HEADER-NEXT: #define TVMGEN_DEFAULT_X_ALIGNMENT 1
# HEADER: /* Bytes of input `n`, one int32_t. */
# HEADER-NEXT: #define TVMGEN_DEFAULT_N_SIZE 4
# HEADER-NEXT: #define TVMGEN_DEFAULT_N_ALIGNMENT 4
# HEADER: /* Bytes of output `y`, int32[4]. */
# HEADER-NEXT: #define TVMGEN_DEFAULT_Y_SIZE 16
# HEADER-NEXT: #define TVMGEN_DEFAULT_Y_ALIGNMENT 4

# The structs have a pointer each, and the run function takes both.
# HEADER: struct tvmgen_default_inputs {
# HEADER-NEXT:   void* x;
# HEADER-NEXT:   void* n;
# HEADER-NEXT: };
# HEADER: struct tvmgen_default_outputs {
# HEADER-NEXT:   void* y;
# HEADER-NEXT: };
# HEADER: /* Runs the model once. Returns 0, or another number when it failed. */
# HEADER-NEXT: int32_t tvmgen_default_run(
# HEADER-NEXT:     struct tvmgen_default_inputs* inputs,
# HEADER-NEXT:     struct tvmgen_default_outputs* outputs);
# HEADER: #define TVMGEN_DEFAULT_WORKSPACE_SIZE 16
# HEADER-NEXT: #define TVMGEN_DEFAULT_CONSTANTS_SIZE 20
# HEADER: }  /* extern "C" */
# HEADER-NEXT: #endif
# HEADER: #endif /* [[GUARD]] */

# The pool of constants is a struct: each at its offset, with padding between them and a symbol each.
# SOURCE: struct [[POOL:tvmgen_default_global_const_workspace]]_data {
# SOURCE-NEXT:   tenon_int32 v_let[2]; /* 8 bytes at 0 */
# SOURCE-NEXT:   uint8_t pad_1[8];
# SOURCE-NEXT:   tenon_int8 w_let[4]; /* 4 bytes at 16 */
# SOURCE-NEXT: };
# SOURCE: static const struct [[POOL]]_data [[POOL]] TENON_CONST_SECTION(".rodata.tvm") TENON_ALIGNED(16) = {
# SOURCE: 5, 6
# SOURCE: {0}
# SOURCE: 1, -2, 3, 4
# SOURCE: typedef char [[POOL]]_check[sizeof(struct [[POOL]]_data) >= 20 && sizeof(struct [[POOL]]_data) < 20 + 16 ? 1 : -1];
# SOURCE: TENON_CONSTANT_SYMBOL([[POOL]], "[[POOL]].v", 0, 8)
# SOURCE: TENON_CONSTANT_SYMBOL([[POOL]], "[[POOL]].w", 16, 4)

# The pool of scratch memory is an array without an initial value.
# SOURCE: static tenon_uint8 tvmgen_default_global_workspace[16] TENON_SECTION(".bss.noinit.tvm") TENON_ALIGNED(16);

# The model takes tensors, the value of the scalar, and the pools, in which its tensors lie.
# SOURCE: static int32_t tvmgen_default_main(
# SOURCE-NEXT:     const tenon_int8* x,
# SOURCE-NEXT:     int32_t n,
# SOURCE-NEXT:     tenon_int32* y,
# SOURCE-NEXT:     const tenon_uint8* [[CONSTANTS:[a-z0-9_]+]],
# SOURCE-NEXT:     tenon_uint8* [[WORKSPACE:[a-z0-9_]+]]) {
# SOURCE-DAG:   const tenon_int8* w_let = (const tenon_int8*)(&[[CONSTANTS]][16]);
# SOURCE-DAG:   const tenon_int32* v_let = (const tenon_int32*)(&[[CONSTANTS]][0]);
# SOURCE-DAG:   tenon_int32* t_let = (tenon_int32*)(&[[WORKSPACE]][0]);
# SOURCE:   return 0;

# The run function passes them.
# SOURCE: int32_t tvmgen_default_run(
# SOURCE:   tenon_int32* n = (tenon_int32*)(inputs->n);
# SOURCE-NEXT:   return tvmgen_default_main(
# SOURCE-NEXT:       (const tenon_int8*)inputs->x,
# SOURCE-NEXT:       n[0],
# SOURCE-NEXT:       (tenon_int32*)outputs->y,
# SOURCE-NEXT:       (const tenon_uint8*)((const void*)&[[POOL]]),
# SOURCE-NEXT:       (tenon_uint8*)tvmgen_default_global_workspace);

# Pools of the caller are a third parameter.
# CALLER: struct tvmgen_my_net_workspace_pools {
# CALLER-NEXT:   void* flash;
# CALLER-NEXT:   void* sram;
# CALLER-NEXT: };
# CALLER: int32_t tvmgen_my_net_run(
# CALLER-NEXT:     struct tvmgen_my_net_inputs* inputs,
# CALLER-NEXT:     struct tvmgen_my_net_outputs* outputs,
# CALLER-NEXT:     struct tvmgen_my_net_workspace_pools* workspace_pools);

# The caller gets their sizes, and the bytes of the constants.
# CALLER: #define TVMGEN_MY_NET_WORKSPACE_SIZE 16
# CALLER: #define TVMGEN_MY_NET_CONSTANTS_SIZE 20
# CALLER: #define TVMGEN_MY_NET_FLASH_CONSTANT_POOL_SIZE 20
# CALLER: #define TVMGEN_MY_NET_FLASH_CONSTANT_POOL_ALIGNMENT 16
# CALLER: #define TVMGEN_MY_NET_FLASH_CONSTANT_POOL_DATA \
# CALLER-NEXT:     0x05, 0x00, 0x00, 0x00, 0x06, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, \
# CALLER-NEXT:     0x01, 0xfe, 0x03, 0x04,
# CALLER: #define TVMGEN_MY_NET_SRAM_WORKSPACE_POOL_SIZE 16
# CALLER: #define TVMGEN_MY_NET_SRAM_WORKSPACE_POOL_ALIGNMENT 16

# The code has no pools: nothing is placed in a section.
# POOLS: static int32_t tvmgen_my_net_main(
# POOLS:     const tenon_uint8* [[CONSTANTS:[a-z0-9_]+]],
# POOLS-NEXT:     tenon_uint8* [[WORKSPACE:[a-z0-9_]+]]) {
# POOLS-DAG: w_let = (const tenon_int8*)(&[[CONSTANTS]][16]);
# POOLS-DAG: v_let = (const tenon_int32*)(&[[CONSTANTS]][0]);
# POOLS-DAG: t_let = (tenon_int32*)(&[[WORKSPACE]][0]);
# POOLS: return tvmgen_my_net_main(
# POOLS:       (const tenon_uint8*)workspace_pools->flash,
# POOLS-NEXT:       (tenon_uint8*)workspace_pools->sram);
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer((2, 2), "int8"), n: T.int32, y: T.Buffer((4,), "int32")):
        w = T.allocate_const([1, -2, 3, 4], "int8", [4])
        v = T.allocate_const([5, 6], "int32", [2])
        w_1 = T.Buffer((4,), "int8", data=w)
        v_1 = T.Buffer((2,), "int32", data=v)
        t = T.allocate([4], "int32", "global")
        t_1 = T.Buffer((4,), "int32", data=t)
        for i in range(4):
            t_1[i] = T.Cast("int32", x[i // 2, i % 2]) * T.Cast("int32", w_1[i])
        for i in range(4):
            y[i] = t_1[i] + v_1[i // 2] + n
