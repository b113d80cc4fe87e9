# The function that loads constants into RAM checks them.
# RUN: rm -rf %t
# RUN: tenon compile %plain %s --emit=c --constant-storage=file -o %t/pool --module-name=m
# RUN: FileCheck %s --input-file=%t/pool/tvmgen_m.c
# RUN: tenon compile %plain %s --emit=c --constant-storage=file -o %t/own --module-name=m --workspace-pools=global_workspace
# RUN: FileCheck %s --input-file=%t/own/tvmgen_m.c
# RUN: tenon run %s --output %t/y.npy
# RUN: tenon run %plain %s --expect %t/y.npy --engine=c --constant-storage=file --cflags=-DTENON_CONSTANTS_CHECK_AT_ONCE=0
# RUN: tenon run %plain %s --expect %t/y.npy --engine=c --constant-storage=file
# RUN: tenon run %plain %s --expect %t/y.npy --engine=c --constant-storage=file --cflags=-DTENON_CONSTANTS_TRUST_DATA
# CHECK: tvmgen_m_main(
# CHECK: if (tvmgen_m_check_constants([[#V:]], 1) != 0) {
# CHECK: int32_t tvmgen_m_init(
# CHECK: /* w{{.*}}: 12 bytes */
# CHECK-NEXT: if (tvmgen_m_check_constants([[#W:]], 1) != 0) return TENON_CONSTANTS_DAMAGED;
# CHECK-NEXT: memcpy(
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        I.constant("w", [1, 2, 3], "int32", [3], load="global_workspace"), I.constant("v", [4, 5, 6], "int32", [3])]})

    @T.prim_func
    def main(y: T.Buffer((3,), "int32")):
        T.func_attr({"global_symbol": "main"})
        w = T.allocate_const(I.constant("w"), "int32", [3])
        w_1 = T.Buffer((3,), "int32", data=w)
        v = T.allocate_const(I.constant("v"), "int32", [3])
        v_1 = T.Buffer((3,), "int32", data=v)
        for i in range(3):
            y[i] = w_1[i] * v_1[i]
