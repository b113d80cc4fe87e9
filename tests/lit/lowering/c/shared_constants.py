# Bytes of a constant that several uses share are stored once: the constant itself, its slices,
# slices of other types; in a pool and outside pools. A slice that is not at a multiple of its
# alignment (16 unless it declares less) is separate.
# RUN: rm -rf %t && tenon compile %s --emit=c -o %t/pool
# RUN: FileCheck %s --check-prefix=POOL --input-file=%t/pool/tvmgen_default.c
# RUN: tenon compile %s --emit=c --workspace-pools=ws -o %t/arrays
# RUN: FileCheck %s --check-prefix=ARRAY --input-file=%t/arrays/tvmgen_default.c
# RUN: %cc -std=c99 -O2 -Wall -Wextra -Wpedantic -Wconversion -Wno-unknown-warning-option -Wcast-align=strict -Wstrict-aliasing=2 -Werror -c %t/arrays/tvmgen_default.c -o %t/c.o
# RUN: %cxx -x c++ -std=c++17 -O2 -Wall -Wextra -Wpedantic -Wconversion -Werror -c %t/arrays/tvmgen_default.c -o %t/cxx.o
# RUN: %cc -std=c99 -O2 -Wall -Wextra -Wpedantic -Wconversion -Werror -c %t/pool/tvmgen_default.c -o %t/pool.o
# RUN: tenon run %s --output %t/y.npy
# RUN: tenon run %s --engine=c --cflags='-std=c99 -O2 -fstrict-aliasing' --expect %t/y.npy
# RUN: tenon run %s --engine=c --cflags='-std=c99 -O3 -fstrict-aliasing' --workspace-pools=ws --expect %t/y.npy

# POOL: /* Constants of 52 bytes: pool `global_const_workspace`. */
# POOL: tenon_int32 w_let[10]; /* 40 bytes at 0 */
# POOL: tenon_int32 q_let[1]; /* 4 bytes at 48 */
# POOL: v_let = (const tenon_int32*)(&global_const_workspace_0_var[16]);
# POOL: b_let = (const tenon_uint8*)(&global_const_workspace_0_var[16]);
# POOL: u_let = (const tenon_int32*)(&global_const_workspace_0_var[4]);
# POOL: q_let = (const tenon_int32*)(&global_const_workspace_0_var[48]);

# ARRAY: static const tenon_int32 tvmgen_default_w[10]
# ARRAY: static const tenon_int32 tvmgen_default_q[1]
# ARRAY-NOT: static const tenon_int32 tvmgen_default_
# ARRAY: const tenon_int32* v = (const tenon_int32*)(const void*)((const uint8_t*)tvmgen_default_w + 16);
# ARRAY: const tenon_uint8* b = (const tenon_uint8*)(const void*)((const uint8_t*)tvmgen_default_w + 16);
# ARRAY: const tenon_int32* u = (const tenon_int32*)(const void*)((const uint8_t*)tvmgen_default_w + 4);

# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        I.constant("w", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], "int32", [10]),
        I.constant("v", I.slice("w", 16), "int32", [2, 2]),
        I.constant("b", I.slice("w", 16), "uint8", [4]),
        I.constant("u", I.slice("w", 4), "int32", [2], align=4),
        I.constant("q", I.slice("w", 4), "int32", [1])]})
    @T.prim_func
    def main(B: T.Buffer((4,), "int32")):
        w = T.allocate_const(I.constant("w"), "int32", [10])
        v = T.allocate_const(I.constant("v"), "int32", [2, 2])
        b = T.allocate_const(I.constant("b"), "uint8", [4])
        u = T.allocate_const(I.constant("u"), "int32", [2])
        q = T.allocate_const(I.constant("q"), "int32", [1])
        w_1 = T.Buffer((10,), "int32", data=w)
        v_1 = T.Buffer((2, 2), "int32", data=v)
        b_1 = T.Buffer((4,), "uint8", data=b)
        u_1 = T.Buffer((2,), "int32", data=u)
        q_1 = T.Buffer((1,), "int32", data=q)
        for i in range(4):
            B[i] = w_1[i] + v_1[i // 2, i % 2] + T.Cast("int32", b_1[i]) + u_1[i // 2] + q_1[0]
