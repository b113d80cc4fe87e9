# The interface for an application: structs of inputs and outputs, sizes, the run function; pools of
# the generated code, or of the caller, who gets their sizes and the bytes of constant pools.
# RUN: rm -rf %t && tenon compile %plain %s --emit=c -o %t
# RUN: FileCheck %s --input-file=%t/tvmgen_default.h --check-prefix=HEADER
# RUN: FileCheck %s --input-file=%t/tvmgen_default.c --check-prefix=SOURCE
# RUN: tenon compile %plain %s --emit=c -o %t --module-name=my-net --workspace-pools=sram:64 --constant-pools=flash
# RUN: FileCheck %s --input-file=%t/tvmgen_my_net.h --check-prefix=CALLER
# RUN: FileCheck %s --input-file=%t/tvmgen_my_net.c --check-prefix=POOLS

# HEADER: #ifndef TVMGEN_DEFAULT_H_
# HEADER-NEXT: #define TVMGEN_DEFAULT_H_
# HEADER-EMPTY:
# HEADER-NEXT: #include <stdint.h>
# HEADER-EMPTY:
# HEADER-NEXT: #ifdef __cplusplus
# HEADER-NEXT: extern "C" {
# HEADER-NEXT: #endif
# HEADER-EMPTY:
# HEADER-NEXT: /* Bytes of input `x`, int8[2, 2]. */
# HEADER-NEXT: #define TVMGEN_DEFAULT_X_SIZE 4
# HEADER-NEXT: #define TVMGEN_DEFAULT_X_ALIGNMENT 1
# HEADER-NEXT: /* Bytes of input `n`, one int32_t. */
# HEADER-NEXT: #define TVMGEN_DEFAULT_N_SIZE 4
# HEADER-NEXT: #define TVMGEN_DEFAULT_N_ALIGNMENT 4
# HEADER-NEXT: /* Bytes of output `y`, int32[4]. */
# HEADER-NEXT: #define TVMGEN_DEFAULT_Y_SIZE 16
# HEADER-NEXT: #define TVMGEN_DEFAULT_Y_ALIGNMENT 4
# HEADER-EMPTY:
# HEADER-NEXT: struct tvmgen_default_inputs {
# HEADER-NEXT:   void* x;
# HEADER-NEXT:   void* n;
# HEADER-NEXT: };
# HEADER-EMPTY:
# HEADER-NEXT: struct tvmgen_default_outputs {
# HEADER-NEXT:   void* y;
# HEADER-NEXT: };
# HEADER-EMPTY:
# HEADER-NEXT: /* Runs the model once. Returns 0, or a negative number when it failed. */
# HEADER-NEXT: int32_t tvmgen_default_run(
# HEADER-NEXT:     struct tvmgen_default_inputs* inputs,
# HEADER-NEXT:     struct tvmgen_default_outputs* outputs);
# HEADER-EMPTY:
# HEADER-NEXT: /* Bytes of scratch memory and of constants of the code that belongs to this header. They
# HEADER-NEXT: * depend on the options. */
# HEADER-NEXT: #define TVMGEN_DEFAULT_WORKSPACE_SIZE 16
# HEADER-NEXT: #define TVMGEN_DEFAULT_CONSTANTS_SIZE 20
# HEADER-EMPTY:
# HEADER-NEXT: #ifdef __cplusplus
# HEADER-NEXT: }  /* extern "C" */
# HEADER-NEXT: #endif
# HEADER-EMPTY:
# HEADER-NEXT: #endif /* TVMGEN_DEFAULT_H_ */

# SOURCE: /* Constants of 20 bytes: pool `global_const_workspace`. */
# SOURCE-NEXT: struct tvmgen_default_global_const_workspace_data {
# SOURCE-NEXT:   tenon_int32 v_let[2]; /* 8 bytes at 0 */
# SOURCE-NEXT:   uint8_t pad_1[8];
# SOURCE-NEXT:   tenon_int8 w_let[4]; /* 4 bytes at 16 */
# SOURCE-NEXT: };
# SOURCE-NEXT: static const struct tvmgen_default_global_const_workspace_data tvmgen_default_global_const_workspace TENON_CONST_SECTION(".rodata.tvm") TENON_ALIGNED(16) = {
# SOURCE-NEXT:   {
# SOURCE-NEXT:   5, 6
# SOURCE-NEXT:   },
# SOURCE-NEXT:   {0},
# SOURCE-NEXT:   {
# SOURCE-NEXT:   1, -2, 3, 4
# SOURCE-NEXT:   },
# SOURCE-NEXT: };
# SOURCE-NEXT: /* Refuses to compile where the struct is not laid out as planned. */
# SOURCE-NEXT: typedef char tvmgen_default_global_const_workspace_check[sizeof(struct tvmgen_default_global_const_workspace_data) >= 20 && sizeof(struct tvmgen_default_global_const_workspace_data) < 20 + 16 ? 1 : -1];
# SOURCE-NEXT: TENON_CONSTANT_SYMBOL(tvmgen_default_global_const_workspace, "tvmgen_default_global_const_workspace.v", 0, 8)
# SOURCE-NEXT: TENON_CONSTANT_SYMBOL(tvmgen_default_global_const_workspace, "tvmgen_default_global_const_workspace.w", 16, 4)
# SOURCE-EMPTY:
# SOURCE-NEXT: /* Scratch memory of 16 bytes: pool `global_workspace`. */
# SOURCE-NEXT: static tenon_uint8 tvmgen_default_global_workspace[16] TENON_SECTION(".bss.noinit.tvm") TENON_ALIGNED(16);
# SOURCE-EMPTY:
# SOURCE-NEXT: static int32_t tvmgen_default_main(
# SOURCE-NEXT:     const tenon_int8* x,
# SOURCE-NEXT:     int32_t n,
# SOURCE-NEXT:     tenon_int32* y,
# SOURCE-NEXT:     const tenon_uint8* global_const_workspace_0_var,
# SOURCE-NEXT:     tenon_uint8* global_workspace_1_var) {
# SOURCE-NEXT:   const tenon_int8* w_let = (const tenon_int8*)(&global_const_workspace_0_var[16]);
# SOURCE-NEXT:   const tenon_int32* v_let = (const tenon_int32*)(&global_const_workspace_0_var[0]);
# SOURCE-NEXT:   tenon_int32* t_let = (tenon_int32*)(&global_workspace_1_var[0]);
# SOURCE-NEXT:   for (int32_t i = 0; i < 4; ++i) {
# SOURCE-NEXT:     t_let[i] = (int32_t)x[i / 2 * 2 + i % 2] * (int32_t)w_let[i];
# SOURCE-NEXT:   }
# SOURCE-NEXT:   for (int32_t i = 0; i < 4; ++i) {
# SOURCE-NEXT:     y[i] = (int32_t)(((uint32_t)t_let[i] + (uint32_t)v_let[i / 2]) + (uint32_t)n);
# SOURCE-NEXT:   }
# SOURCE-NEXT:   return 0;
# SOURCE-NEXT: }
# SOURCE-EMPTY:
# SOURCE-NEXT: int32_t tvmgen_default_run(
# SOURCE-NEXT:     struct tvmgen_default_inputs* inputs,
# SOURCE-NEXT:     struct tvmgen_default_outputs* outputs) {
# SOURCE-NEXT:   tenon_int32* n = (tenon_int32*)(inputs->n);
# SOURCE-NEXT:   return tvmgen_default_main(
# SOURCE-NEXT:       (const tenon_int8*)inputs->x,
# SOURCE-NEXT:       n[0],
# SOURCE-NEXT:       (tenon_int32*)outputs->y,
# SOURCE-NEXT:       (const tenon_uint8*)((const void*)&tvmgen_default_global_const_workspace),
# SOURCE-NEXT:       (tenon_uint8*)tvmgen_default_global_workspace);
# SOURCE-NEXT: }

# CALLER: struct tvmgen_my_net_inputs {
# CALLER-NEXT:   void* x;
# CALLER-NEXT:   void* n;
# CALLER-NEXT: };
# CALLER-EMPTY:
# CALLER-NEXT: struct tvmgen_my_net_outputs {
# CALLER-NEXT:   void* y;
# CALLER-NEXT: };
# CALLER-EMPTY:
# CALLER-NEXT: struct tvmgen_my_net_workspace_pools {
# CALLER-NEXT:   void* flash;
# CALLER-NEXT:   void* sram;
# CALLER-NEXT: };
# CALLER-EMPTY:
# CALLER-NEXT: /* Runs the model once. Returns 0, or a negative number when it failed. */
# CALLER-NEXT: int32_t tvmgen_my_net_run(
# CALLER-NEXT:     struct tvmgen_my_net_inputs* inputs,
# CALLER-NEXT:     struct tvmgen_my_net_outputs* outputs,
# CALLER-NEXT:     struct tvmgen_my_net_workspace_pools* workspace_pools);
# CALLER-EMPTY:
# CALLER-NEXT: /* Bytes of scratch memory and of constants of the code that belongs to this header. They
# CALLER-NEXT: * depend on the options. */
# CALLER-NEXT: #define TVMGEN_MY_NET_WORKSPACE_SIZE 16
# CALLER-NEXT: #define TVMGEN_MY_NET_CONSTANTS_SIZE 20
# CALLER-NEXT: #define TVMGEN_MY_NET_FLASH_CONSTANT_POOL_SIZE 20
# CALLER-NEXT: #define TVMGEN_MY_NET_FLASH_CONSTANT_POOL_ALIGNMENT 16
# CALLER-NEXT: #define TVMGEN_MY_NET_FLASH_CONSTANT_POOL_DATA \
# CALLER-NEXT:     0x05, 0x00, 0x00, 0x00, 0x06, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, \
# CALLER-NEXT:     0x01, 0xfe, 0x03, 0x04,
# CALLER-NEXT: #define TVMGEN_MY_NET_SRAM_WORKSPACE_POOL_SIZE 16
# CALLER-NEXT: #define TVMGEN_MY_NET_SRAM_WORKSPACE_POOL_ALIGNMENT 16

# POOLS: static int32_t tvmgen_my_net_main(
# POOLS-NEXT:     const tenon_int8* x,
# POOLS-NEXT:     int32_t n,
# POOLS-NEXT:     tenon_int32* y,
# POOLS-NEXT:     const tenon_uint8* flash_0_var,
# POOLS-NEXT:     tenon_uint8* sram_1_var) {
# POOLS-NEXT:   const tenon_int8* w_let = (const tenon_int8*)(&flash_0_var[16]);
# POOLS-NEXT:   const tenon_int32* v_let = (const tenon_int32*)(&flash_0_var[0]);
# POOLS-NEXT:   tenon_int32* t_let = (tenon_int32*)(&sram_1_var[0]);
# POOLS-NEXT:   for (int32_t i = 0; i < 4; ++i) {
# POOLS-NEXT:     t_let[i] = (int32_t)x[i / 2 * 2 + i % 2] * (int32_t)w_let[i];
# POOLS-NEXT:   }
# POOLS-NEXT:   for (int32_t i = 0; i < 4; ++i) {
# POOLS-NEXT:     y[i] = (int32_t)(((uint32_t)t_let[i] + (uint32_t)v_let[i / 2]) + (uint32_t)n);
# POOLS-NEXT:   }
# POOLS-NEXT:   return 0;
# POOLS-NEXT: }
# POOLS-EMPTY:
# POOLS-NEXT: int32_t tvmgen_my_net_run(
# POOLS-NEXT:     struct tvmgen_my_net_inputs* inputs,
# POOLS-NEXT:     struct tvmgen_my_net_outputs* outputs,
# POOLS-NEXT:     struct tvmgen_my_net_workspace_pools* workspace_pools) {
# POOLS-NEXT:   tenon_int32* n = (tenon_int32*)(inputs->n);
# POOLS-NEXT:   return tvmgen_my_net_main(
# POOLS-NEXT:       (const tenon_int8*)inputs->x,
# POOLS-NEXT:       n[0],
# POOLS-NEXT:       (tenon_int32*)outputs->y,
# POOLS-NEXT:       (const tenon_uint8*)workspace_pools->flash,
# POOLS-NEXT:       (tenon_uint8*)workspace_pools->sram);
# POOLS-NEXT: }
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
