# Parameters that a plan lets overlap lose `restrict`; others keep it.
# RUN: rm -rf %t && tenon compile %s --emit=c --fuse=off --narrow=off --overlap=on -o %t
# RUN: FileCheck %s --input-file=%t/tvmgen_default.c
# RUN: rm -rf %t && tenon compile %s --emit=c --fuse=off --narrow=off --overlap=off -o %t
# RUN: FileCheck %s --input-file=%t/tvmgen_default.c --check-prefix=OFF
# RUN: rm -rf %t && tenon compile %s --emit=c -o %t
# RUN: FileCheck %s --input-file=%t/tvmgen_default.c --check-prefix=OFF
# RUN: not tenon compile %s --emit=c --overlap=on --planner=hill_climb -o %t 2>&1 | FileCheck %s --check-prefix=TVM
# RUN: not tenon compile %s --emit=c --verify-plan=off -o %t 2>&1 | FileCheck %s --check-prefix=VERIFY

# CHECK-LABEL: static int32_t tvmgen_default_fill(
# CHECK: const tenon_int32* TENON_RESTRICT x,
# CHECK-NEXT: tenon_int16* TENON_RESTRICT p,
# CHECK-LABEL: static int32_t tvmgen_default_make(
# CHECK: const tenon_int16* p,
# CHECK-NEXT: tenon_int32* q,
# CHECK-NEXT: const tenon_int32* TENON_RESTRICT w,
# OFF-LABEL: static int32_t tvmgen_default_make(
# OFF: const tenon_int16* TENON_RESTRICT p,
# OFF-NEXT: tenon_int32* TENON_RESTRICT q,
# OFF-NEXT: const tenon_int32* TENON_RESTRICT w,
# TVM: error: `--overlap` has an effect only with Tenon's planners: TVM's take no overlaps
# VERIFY: error: `--verify-plan` has an effect only with --overlap=in-place or on

# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer((64,), "int32"), y: T.Buffer((64,), "int32")):
        T.func_attr({"global_symbol": "main"})
        p = T.allocate([64], "int16", "global")
        q = T.allocate([64], "int32", "global")
        T.evaluate(T.call_extern("int32", "fill", x.data, p))
        T.evaluate(T.call_extern("int32", "make", p, q, x.data))
        T.evaluate(T.call_extern("int32", "copy", q, y.data))

    @T.prim_func
    def fill(x: T.Buffer((64,), "int32"), p: T.Buffer((64,), "int16")):
        T.func_attr({"global_symbol": "fill", "tir.noalias": T.bool(True)})
        for i in range(64):
            p[i] = T.Cast("int16", x[i])

    @T.prim_func
    def make(p: T.Buffer((64,), "int16"), q: T.Buffer((64,), "int32"), w: T.Buffer((64,), "int32")):
        T.func_attr({"global_symbol": "make", "tir.noalias": T.bool(True)})
        for i in range(64):
            q[i] = T.Cast("int32", p[i]) * w[i]

    @T.prim_func
    def copy(q: T.Buffer((64,), "int32"), y: T.Buffer((64,), "int32")):
        T.func_attr({"global_symbol": "copy", "tir.noalias": T.bool(True)})
        for i in range(64):
            y[i] = q[i]
