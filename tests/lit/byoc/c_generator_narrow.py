# The generator c stores constants of 16 bits in 8 bits where their values fit: those of `small`. The values of `large`
# do not fit.
# RUN: rm -rf %t && tenon compile %plain %s --targets=c -o %t && FileCheck %s --input-file=%t/tenon_c.c
# RUN: %cc -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror -c %t/tenon_c.c -o %t/c.o
# CHECK: int32_t tvmgen_default_c_main_0(
# CHECK: const tenon_int8* small
# CHECK: const tenon_int16* large
# from tvm.script import ir as I
# from tvm.script import tir as T
@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer((4,), "int16"), y: T.Buffer((4,), "int32"), z: T.Buffer((4,), "int32")):
        T.tvm_check_return(0, -1, T.call_extern("int32", "scale", x.data, y.data))
        T.tvm_check_return(0, -1, T.call_extern("int32", "grow", x.data, z.data))

    @T.prim_func
    def scale(x: T.Buffer((4,), "int16"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        small = T.allocate_const([1, -128, 127, 4], "int16", [4])
        small_1 = T.Buffer((4,), "int16", data=small)
        for i in range(4):
            y[i] = T.Cast("int32", x[i]) * T.Cast("int32", small_1[i])

    @T.prim_func
    def grow(x: T.Buffer((4,), "int16"), z: T.Buffer((4,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        large = T.allocate_const([1, -128, 128, 4], "int16", [4])
        large_1 = T.Buffer((4,), "int16", data=large)
        for i in range(4):
            z[i] = T.Cast("int32", x[i]) * T.Cast("int32", large_1[i])
