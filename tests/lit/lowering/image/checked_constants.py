# RUN: rm -rf %t
# RUN: tenon compile %plain %s --emit=c --constant-storage=file -o %t/pool --module-name=m --constant-alignment=1
# RUN: FileCheck %s --input-file=%t/pool/tvmgen_m.c
# RUN: tenon compile %plain %s --emit=c --constant-storage=file -o %t/own --module-name=m --workspace-pools=ws
# RUN: FileCheck %s --input-file=%t/own/tvmgen_m.c
# RUN: %cc -std=c99 -Wall -Wextra -Wconversion -Werror -DTENON_CONSTANTS_CHECK_AT_ONCE=0 -c %t/pool/tvmgen_m.c -o %t/pool.o
# RUN: %cc -std=c99 -Wall -Wextra -Wconversion -Werror -DTENON_CONSTANTS_CHECK_AT_ONCE=0 -c %t/own/tvmgen_m.c -o %t/own.o
#
# A function checks constants that it loads at its entry, and constants that it passes on before the
# call: before the outermost loop, and once on every path.
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.externs": {"use": ["r"]}, "tenon.constants": [
        I.constant("a", I.splat(1), "int32", [300]), I.constant("b", I.splat(2), "int32", [200]),
        I.constant("c", I.splat(3), "int32", [100]), I.constant("d", I.splat(4), "int32", [50])]})

    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"global_symbol": "main"})
        a = T.allocate_const(I.constant("a"), "int32", [300])
        b = T.allocate_const(I.constant("b"), "int32", [200])
        c = T.allocate_const(I.constant("c"), "int32", [100])
        d = T.allocate_const(I.constant("d"), "int32", [50])
        # CHECK-LABEL: static int32_t tvmgen_m_main(
        # CHECK-NOT: check_constants
        # CHECK: if (x[0] > 0) {
        # CHECK: if (tvmgen_m_check_constants([[#A:]], 1) != 0) {
        # CHECK-NEXT: return TENON_CONSTANTS_DAMAGED;
        # CHECK-NEXT: }
        # CHECK-NEXT: if (tvmgen_m_add(
        # CHECK-NOT: check_constants
        # CHECK: if (tvmgen_m_add(
        if x[0] > 0:
            T.evaluate(T.call_extern("int32", "add", x.data, a))
            T.evaluate(T.call_extern("int32", "add", x.data, a))
        # Checks in a branch are not valid after it.
        # CHECK: if (tvmgen_m_check_constants([[#A]], 1) != 0) {
        # CHECK: if (tvmgen_m_add(
        T.evaluate(T.call_extern("int32", "add", x.data, a))
        # CHECK: if (tvmgen_m_check_constants([[#B:]], 1) != 0) {
        # CHECK: for (int32_t i
        # CHECK-NOT: check_constants
        # CHECK: if (tvmgen_m_add(
        # CHECK-NOT: check_constants
        # CHECK: if (tvmgen_m_add(
        for i in range(3):
            if x[i] > 0:
                T.evaluate(T.call_extern("int32", "add", x.data, b))
                T.evaluate(T.call_extern("int32", "add", x.data, a))
        # CHECK: if (tvmgen_m_check_constants([[#D:]], 1) != 0) {
        # CHECK: use(
        T.evaluate(T.call_extern("int32", "use", d))
        # CHECK: tvmgen_m_get(
        y_1 = T.Buffer((4,), "int32", data=y.data)
        y_1[0] = T.call_extern("int32", "get", x.data)
        # CHECK: return 0;

    # CHECK-NOT: check_constants
    # CHECK-LABEL: int32_t tvmgen_m_run(
    # CHECK: return tvmgen_m_constants_result(tvmgen_m_main(

    @T.prim_func(private=True)
    def add(x: T.Buffer((4,), "int32"), w: T.Buffer((50,), "int32")):
        for i in range(4):
            x[i] = x[i] + w[i]

    @T.prim_func(private=True)
    def get(x: T.Buffer((4,), "int32")) -> T.int32:
        c = T.allocate_const(I.constant("c"), "int32", [100])
        c_1 = T.Buffer((100,), "int32", data=c)
        T.ret(c_1[x[0] % 100])
