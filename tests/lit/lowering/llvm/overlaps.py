# Parameters that a plan lets overlap lose `noalias`; others keep it.
# REQUIRES: llvm
# RUN: tenon compile %s --emit=llvm-ir -O0 --fuse=off --narrow=off --overlap=on -o - | FileCheck %s
# RUN: tenon compile %s --emit=llvm-ir -O0 %plain -o - | FileCheck %s --check-prefix=OFF
# CHECK: @tvmgen_default_make(ptr noundef nonnull readonly align 2 dereferenceable(128) %p, ptr noundef nonnull align 4 dereferenceable(256) %q, ptr noalias noundef nonnull readonly align 4 dereferenceable(256) %w,
# OFF: @tvmgen_default_make(ptr noalias noundef nonnull readonly align 2 dereferenceable(128) %p, ptr noalias noundef nonnull align 4 dereferenceable(256) %q, ptr noalias noundef nonnull readonly align 4 dereferenceable(256) %w,

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
