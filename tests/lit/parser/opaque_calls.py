# TVM's builtins for other targets: the text keeps them, with the dtype where TVM prints it.
# RUN: tenon-opt %s --verify-roundtrip | FileCheck %s
# RUN: tenon-opt %s | tenon-opt | FileCheck %s

# from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "float16"), B: T.Buffer((64,), "float32"), n: T.int32):
    with T.block("root"):
        # The dtype is the first argument, or a keyword in older texts.
        # CHECK: T.ptx_ldmatrix("float16", T.bool(False), 4, ".b16", A.data, n, A.data, 8)
        T.evaluate(T.ptx_ldmatrix("float16", False, 4, ".b16", A.data, n, A.data, 8))
        # CHECK: T.ptx_cp_async("float16", A.data, n, B.data, n, 16)
        T.evaluate(T.ptx_cp_async(A.data, n, B.data, n, 16, dtype="float16"))
        # CHECK: T.mma_fill("float32", 8, B.data, 0)
        T.mma_fill("float32", 8, B.data, 0)
        # Other builtins have no dtype in the text.
        # CHECK: T.ptx_commit_group()
        T.ptx_commit_group()
        # CHECK: T.ptx_wait_group(0)
        T.ptx_wait_group(0)
        # CHECK: T.tvm_bmma_sync(A.data, 0, A.data, 0, A.data, 0, A.data, 0)
        T.tvm_bmma_sync(A.data, 0, A.data, 0, A.data, 0, A.data, 0)
        # CHECK: mask: T.uint32 = T.tvm_warp_activemask()
        mask: T.uint32 = T.tvm_warp_activemask()
        # CHECK: B[0] = T.tvm_warp_shuffle(mask, B[1], n, 32, 32)
        B[0] = T.tvm_warp_shuffle(mask, B[1], n, 32, 32)
        # CHECK: T.dma_copy(0, B.data, A.data, 128, 0)
        T.dma_copy(0, B.data, A.data, 128, 0)
        # CHECK: T.simdgroup_load(A.data, 0, B.data, 8, 8, 8, T.bool(False))
        T.call_intrin("handle", "tir.simdgroup_load", A.data, 0, B.data, 8, 8, 8, False)
        # Builtins that only lowering makes have their full name.
        # CHECK: B[1] = T.tir.cuda.__shfl_sync(mask, B[2], n, 32)
        B[1] = T.tir.cuda.__shfl_sync(mask, B[2], n, 32)
        # Another dtype than the text implies is kept.
        # CHECK: T.Call("float16x4", "tir.texture2d_load", [A.data, n, 0])
        T.evaluate(T.Call("float16x4", "tir.texture2d_load", [A.data, n, 0]))
        # CHECK: T.Call("int32", "tir.prefetch", [A.data, 0, 3, 1])
        T.evaluate(T.Call("int32", "tir.prefetch", [A.data, 0, 3, 1]))
