# A slice of a constant that is also used as a whole is not compressed, since the bytes stay stored for the whole:
# `d`. `a`, `b` and `c` are slices of `base`, which is not used itself. Promotion differs: storing bytes twice pays
# off if they are read often.
# RUN: tenon-opt %s --pipeline='compress-constants{pool=sram}' | FileCheck %s
# RUN: tenon-opt %s --pipeline='promote-constants{pool=sram}' | FileCheck %s --check-prefix=PROMOTE
# RUN: tenon run %s --output %t.npy
# RUN: tenon run %s --compress-constants=lz4 --promote-constants=all --expect %t.npy --engine=c

# CHECK: I.constant("base", I.splat(7), "int8", [1024])
# CHECK: I.constant("a", I.slice("base", 0), "int8", [128], load="sram", codec="lz4")
# CHECK: I.constant("b", I.slice("base", 64), "int8", [128], load="sram", codec="lz4")
# CHECK: I.constant("c", I.slice("base", 256), "int8", [512], load="sram", codec="lz4")
# CHECK: I.constant("used", I.splat(3), "int8", [512])
# CHECK: I.constant("d", I.slice("used", 64), "int8", [256])
# PROMOTE: I.constant("used", I.splat(3), "int8", [512])
# PROMOTE: I.constant("d", I.slice("used", 64), "int8", [256], load="sram")

# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        I.constant("base", I.splat(7), "int8", [1024]),
        I.constant("a", I.slice("base", 0), "int8", [128]),
        I.constant("b", I.slice("base", 64), "int8", [128]),
        I.constant("c", I.slice("base", 256), "int8", [512]),
        I.constant("used", I.splat(3), "int8", [512]),
        I.constant("d", I.slice("used", 64), "int8", [256])]})
    @T.prim_func
    def main(y: T.Buffer((128,), "int8")):
        a = T.allocate_const(I.constant("a"), "int8", [128])
        a_1 = T.Buffer((128,), "int8", data=a)
        b = T.allocate_const(I.constant("b"), "int8", [128])
        b_1 = T.Buffer((128,), "int8", data=b)
        c = T.allocate_const(I.constant("c"), "int8", [512])
        c_1 = T.Buffer((512,), "int8", data=c)
        used = T.allocate_const(I.constant("used"), "int8", [512])
        used_1 = T.Buffer((512,), "int8", data=used)
        d = T.allocate_const(I.constant("d"), "int8", [256])
        d_1 = T.Buffer((256,), "int8", data=d)
        for i in range(128):
            y[i] = a_1[i] + b_1[i] + c_1[i * 4] + used_1[i] + d_1[i]
