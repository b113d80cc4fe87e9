# The node of an attribute may be a reducer; LLVM's intrinsics may be looked up by name.
# RUN: tenon-opt %s --verify-roundtrip | FileCheck %s
# RUN: tenon-opt %s --pipeline=lower-blocks,flatten-buffers,simplify | tenon-opt | FileCheck %s

# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    __tvm_meta__ = None

    # CHECK: with T.attr(T.comm_reducer(lambda x0, y0: x0 + y0, [T.float32(0)]), "reduce_scope", 0):
    # CHECK: T.call_llvm_pure_intrin("uint8", "llvm.ctpop.i8", T.uint32(1), B[0])
    @T.prim_func
    def main(A: T.Buffer((16,), "float32"), B: T.Buffer((1,), "uint8")):
        with T.attr(T.comm_reducer(lambda x0, y0: x0 + y0, [T.float32(0)]), "reduce_scope", 0):
            A[0] = A[1]
        B[0] = T.call_llvm_pure_intrin("uint8", T.llvm_lookup_intrinsic_id("llvm.ctpop.i8"), T.uint32(1), B[0])
