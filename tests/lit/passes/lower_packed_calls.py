# RUN: tenon-opt %s --pipeline=lower-packed-calls | FileCheck %s
# RUN: tenon-opt %s --pipeline=lower-packed-calls,lower-packed-calls --print-ir-after-change 2>&1 >/dev/null | FileCheck --check-prefix=ONCE %s
# The second run changes nothing.
# ONCE: # IR after lower-packed-calls
# ONCE-NOT: # IR after lower-packed-calls

# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def callee(A: T.Buffer((4, 8), "float32"), n: T.int32, x: T.float32):
        A[0, 0] = x

    @T.prim_func
    def takes_handle(A: T.Buffer((4,), "float32"), resource: T.handle):
        A[0] = T.float32(0)

    # If a callee fails, the caller fails. An unused resource handle is removed; calls of functions
    # outside the module stay.
    # CHECK-LABEL: def main(
    # CHECK: T.tvm_check_return(0, -1, T.call_extern("int32", "callee", p.data, 3, T.float32(1)))
    # CHECK-NEXT: T.tvm_check_return(0, -2, T.call_extern("int32", "callee", p.data, 3, T.float32(1)))
    # CHECK-NEXT: T.tvm_check_return(0, -1, T.call_extern("int32", "takes_handle", p.data, T.reinterpret("handle", T.uint64(0))))
    # CHECK-NEXT: T.call_packed("elsewhere", p.data, "text")

    @T.prim_func
    def main(p: T.Buffer((4, 8), "float32")):
        T.call_cpacked("callee", p.data, 3, T.float32(1), T.reinterpret("handle", T.uint64(0)))
        T.tvm_check_return(0, -2, T.call_cpacked("callee", T.tvm_stack_make_array(p.data, T.tvm_stack_make_shape(4, 8), T.reinterpret("handle", T.uint64(0)), T.uint32(2), T.float32(0), 0), 3, T.float32(1), T.reinterpret("handle", T.uint64(0))))
        T.call_cpacked("takes_handle", p.data, T.reinterpret("handle", T.uint64(0)))
        T.call_packed("elsewhere", p.data, "text")
