# RUN: tenon-opt %s --pipeline=lower-packed-calls | FileCheck %s
# RUN: tenon-opt %s --pipeline='lower-packed-calls{to=stack}' | FileCheck --check-prefix=STACK %s
# RUN: not tenon-opt %s --pipeline='lower-packed-calls{to=queue}' 2>&1 | FileCheck --check-prefix=BAD %s
# RUN: tenon-opt %s --pipeline='lower-packed-calls{to=stack},lower-packed-calls{to=stack}' --print-ir-after-change 2>&1 >/dev/null | FileCheck --check-prefix=ONCE %s

# BAD: option `to` is `queue`, expected `extern` or `stack`
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

    @T.prim_func
    def known_nothing():
        T.evaluate(0)

    # There are arrays even without arguments.
    # STACK-LABEL: def known_none(
    # STACK: stack_value: T.handle = T.tvm_stack_alloca("arg_value", 1)
    # STACK: T.call_cpacked_lowered("known_nothing", stack_value, stack_tcode, 0, 0, T.reinterpret("handle", T.uint64(0)))
    @T.prim_func
    def known_none():
        T.call_cpacked("known_nothing", T.reinterpret("handle", T.uint64(0)))

    # If a callee fails, the caller fails. An unused resource handle is removed; calls of functions
    # outside the module stay.
    # CHECK-LABEL: def main(
    # CHECK: T.tvm_check_return(0, -1, T.call_extern("int32", "callee", p.data, 3, T.float32(1)))
    # CHECK-NEXT: T.tvm_check_return(0, -2, T.call_extern("int32", "callee", p.data, 3, T.float32(1)))
    # CHECK-NEXT: T.tvm_check_return(0, -1, T.call_extern("int32", "takes_handle", p.data, T.reinterpret("handle", T.uint64(0))))
    # CHECK-NEXT: T.call_packed("elsewhere", p.data, "text")

    # STACK-LABEL: def main(
    # STACK: stack_tcode: T.handle("int32", "global") = T.tvm_stack_alloca("arg_tcode", 3)
    # STACK-NEXT: stack_value: T.handle = T.tvm_stack_alloca("arg_value", 3)
    # STACK-NEXT: stack_array: T.handle = T.tvm_stack_alloca("array", 1)
    # STACK-NEXT: stack_shape: T.handle("int64", "global") = T.tvm_stack_alloca("shape", 2)
    # STACK: stack_shape_1 = T.Buffer((2,), "int64", data=stack_shape)
    # STACK-NEXT: stack_shape_1[0] = T.int64(4)
    # STACK-NEXT: stack_shape_1[1] = T.int64(8)
    # STACK-NEXT: T.tvm_struct_set(stack_array, 0, 1, p.data)
    # STACK-NEXT: T.tvm_struct_set(stack_array, 0, 2, T.address_of(stack_shape_1[0]))
    # STACK: T.tvm_struct_set(stack_value, 0, 12, T.tvm_struct_get(stack_array, 0, 0, "handle"))
    # STACK: stack_tcode_1[0] = 7
    # STACK: T.tvm_struct_set(stack_value, 1, 12, T.int64(3))
    # STACK-NEXT: stack_tcode_1[1] = 0
    # STACK-NEXT: T.tvm_struct_set(stack_value, 2, 12, T.float64(1))
    # STACK-NEXT: stack_tcode_1[2] = 2
    # STACK-NEXT: T.call_cpacked_lowered("callee", stack_value, stack_tcode, 0, 3, T.reinterpret("handle", T.uint64(0)))
    # STACK: stack_tcode_1[0] = 3
    # STACK: stack_tcode_1[1] = 11
    # STACK-NEXT: T.call_packed_lowered("elsewhere", stack_value, stack_tcode, 0, 2)
    @T.prim_func
    def main(p: T.Buffer((4, 8), "float32")):
        T.call_cpacked("callee", p.data, 3, T.float32(1), T.reinterpret("handle", T.uint64(0)))
        T.tvm_check_return(0, -2, T.call_cpacked("callee", T.tvm_stack_make_array(p.data, T.tvm_stack_make_shape(4, 8), T.reinterpret("handle", T.uint64(0)), T.uint32(2), T.float32(0), 0), 3, T.float32(1), T.reinterpret("handle", T.uint64(0))))
        T.call_cpacked("takes_handle", p.data, T.reinterpret("handle", T.uint64(0)))
        T.call_packed("elsewhere", p.data, "text")
