# A reader that takes each value of a transposition 16 times or more goes through it in order if the transposition
# stays. Its output then overlaps the values that it has read. `auto` compares the two ways, and never takes more
# bytes than `on`.

# RUN: tenon report %s --json=%t.auto -q && tenon report %s --fuse=on --json=%t.on -q && tenon report %s --fuse=off --json=%t.off -q
# RUN: %python -c "import json, sys; auto, on, off = (json.load(open(f))['workspace_bytes'] for f in sys.argv[1:]); assert auto < on and auto <= off, (auto, on, off)" %t.auto %t.on %t.off
# RUN: tenon-opt %s --pipeline=inline-callees,simplify,forward-producers | FileCheck %s --check-prefix=ALL
# RUN: tenon-opt %s '--pipeline=inline-callees,simplify,forward-producers{keep-moves=true}' --verify-each | FileCheck %s --check-prefix=KEPT
# ALL-NOT: moved
# KEPT: moved = T.allocate([1024], "float32", "global")

# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def fill(x: T.Buffer((1024,), "float32"), y: T.Buffer((1024,), "float32")):
        T.func_attr({"global_symbol": "fill", "tir.noalias": T.bool(True)})
        for i in range(1024):
            y[i] = T.exp(x[i])

    @T.prim_func
    def transpose(x: T.Buffer((1024,), "float32"), y: T.Buffer((1024,), "float32")):
        T.func_attr({"global_symbol": "transpose", "tir.noalias": T.bool(True)})
        for i, j in T.grid(32, 32):
            y[i * 32 + j] = x[j * 32 + i]

    @T.prim_func
    def rows(x: T.Buffer((1024,), "float32"), w: T.Buffer((1024,), "float32"), y: T.Buffer((1024,), "float32")):
        T.func_attr({"global_symbol": "rows", "tir.noalias": T.bool(True)})
        sums = T.allocate([32], "float32", "global")
        sums_1 = T.Buffer((32,), "float32", data=sums)
        for i in range(32):
            for c in range(32):
                sums_1[c] = T.float32(0)
                for k in range(32):
                    sums_1[c] = sums_1[c] + x[i * 32 + k] * w[c * 32 + k]
            for c in range(32):
                y[i * 32 + c] = sums_1[c]

    @T.prim_func
    def total(x: T.Buffer((1024,), "float32"), y: T.Buffer((1,), "float32")):
        T.func_attr({"global_symbol": "total", "tir.noalias": T.bool(True)})
        y[0] = T.float32(0)
        for i in range(1024):
            y[0] = y[0] + x[i] * x[1023 - i]

    @T.prim_func
    def main(x: T.Buffer((1024,), "float32"), w: T.Buffer((1024,), "float32"), y: T.Buffer((1,), "float32")):
        T.func_attr({"global_symbol": "main"})
        filled = T.allocate([1024], "float32", "global")
        moved = T.allocate([1024], "float32", "global")
        made = T.allocate([1024], "float32", "global")
        T.call_extern("int32", "fill", x.data, filled)
        T.call_extern("int32", "transpose", filled, moved)
        T.call_extern("int32", "rows", moved, w.data, made)
        T.call_extern("int32", "total", made, y.data)
