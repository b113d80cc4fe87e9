# RUN: not tenon-opt --pipeline=create-io-allocates --split-input-file %s 2>%t.err | FileCheck %s
# RUN: FileCheck --check-prefix=ERROR --input-file=%t.err %s
# RUN: not tenon-opt '--pipeline=create-io-allocates{outputs=false keep-inputs=true}' --split-input-file %s 2>%t.keep | FileCheck --check-prefix=KEEP %s
# RUN: not tenon-opt '--pipeline=create-io-allocates,assign-pool-info,plan-memory,convert-pool-allocations-to-offsets' --split-input-file %s 2>%t.plan | FileCheck --check-prefix=PLAN %s

# from tvm.script import ir as I
# from tvm.script import tir as T

# Inputs are outside outputs, the last one outermost. `idle` is an input, although nothing reads it;
# the number stays. The operator fails for some inputs, and then need not write its output.
# CHECK-LABEL: def main(n: T.int32):
# CHECK: idle = T.allocate([8], "int8", "global", annotations={"input_tensor": "idle", "tenon.entry_tensor": ["input", 3]})
# CHECK: x = T.allocate([2, 2], "int8", "global", annotations={"input_tensor": "x", "tenon.entry_tensor": ["input", 0]})
# CHECK: y = T.allocate([4], "int32", "global", annotations={"output_tensor": "y", "tenon.entry_tensor": ["output", 2]})
# CHECK: T.tvm_check_return(0, -1, T.call_extern("int32", "op", x, y, n))
# KEEP-LABEL: def main(n: T.int32, y: T.Buffer((4,), "int32")):
# KEEP: annotations={"input_tensor": "idle", "output_tensor": "idle", "tenon.entry_tensor": ["input", 3]}
# KEEP: annotations={"input_tensor": "x", "output_tensor": "x", "tenon.entry_tensor": ["input", 0]}
# PLAN-LABEL: def main(n: T.int32, global_workspace_0_var: T.handle("uint8", "global")):
# PLAN: "tenon.mapped_tensors": [{"dtype": "int8", "index": 0, "kind": "input", "name": "x", "offset": {{[0-9]+}}, "pool": "global_workspace", "shape": [2, 2]}, {"dtype": "int32", "index": 2, "kind": "output", "name": "y", "offset": {{[0-9]+}}, "pool": "global_workspace", "shape": [4]}, {"dtype": "int8", "index": 3, "kind": "input", "name": "idle",
@I.ir_module
class Plain:
    @T.prim_func
    def op(a: T.Buffer((2, 2), "int8"), b: T.Buffer((4,), "int32"), n: T.int32):
        for i in range(4):
            b[i] = T.Cast("int32", a[i // 2, i % 2]) + n

    @T.prim_func
    def main(x: T.Buffer((2, 2), "int8"), n: T.int32, y: T.Buffer((4,), "int32"), idle: T.Buffer((8,), "int8")):
        T.func_attr({"global_symbol": "main"})
        T.tvm_check_return(0, -1, T.call_extern("int32", "op", x.data, y.data, n))
# -----
# Outputs that are added to, or that keep a byte, are live from the beginning: both annotations.
# `sum` is not: it is only read after it is written.
# CHECK-LABEL: class InAndOut
# CHECK: hole = T.allocate([4], "int32", "global", annotations={"input_tensor": "hole", "output_tensor": "hole", "tenon.entry_tensor": ["output", 2]})
# CHECK: state = T.allocate([4], "int32", "global", annotations={"input_tensor": "state", "output_tensor": "state", "tenon.entry_tensor": ["output", 1]})
# CHECK: x = T.allocate([4], "int32", "global", annotations={"input_tensor": "x", "tenon.entry_tensor": ["input", 0]})
# CHECK: sum = T.allocate([1], "int32", "global", annotations={"output_tensor": "sum", "tenon.entry_tensor": ["output", 3]})
@I.ir_module
class InAndOut:
    @T.prim_func
    def main(x: T.Buffer((4,), "int32"), state: T.Buffer((4,), "int32"), hole: T.Buffer((4,), "int32"), sum: T.Buffer((1,), "int32")):
        T.func_attr({"global_symbol": "main"})
        for i in range(4):
            state[i] = state[i] + x[i]
        for i in range(3):
            hole[i] = x[i]
        sum[0] = 0
        for i in range(4):
            sum[0] = sum[0] + x[i]
# -----
# Blocks of sums with a tail: `blocks` is overwritten by nested loops, and is not live before.
# `last` keeps the elements that the condition excludes.
# CHECK-LABEL: class Blocks
# CHECK: last = T.allocate([8], "int8", "global", annotations={"input_tensor": "last", "output_tensor": "last",
# CHECK: blocks = T.allocate([8], "int8", "global", annotations={"output_tensor": "blocks",
@I.ir_module
class Blocks:
    @T.prim_func
    def main(x: T.Buffer((4,), "int8"), blocks: T.Buffer((8,), "int8"), last: T.Buffer((8,), "int8")):
        T.func_attr({"global_symbol": "main"})
        for i in range(4):
            s = T.allocate([2], "int32", "local")
            S = T.Buffer((2,), "int32", data=s, scope="local")
            for j in range(2):
                S[j] = 0
            for k, j in T.grid(4, 2):
                S[j] = S[j] + T.Cast("int32", x[k]) * (i + j)
            for j in range(2):
                t = T.allocate([1], "int32", "local")
                U = T.Buffer((1,), "int32", data=t, scope="local")
                U[0] = S[j]
                blocks[i * 2 + j] = T.Cast("int8", U[0])
                if S[j] < 5:
                    last[i * 2 + j] = T.Cast("int8", U[0])
# -----
# A handle that is passed on becomes the address. An undeclared function may write its arguments.
# CHECK-LABEL: class Handles
# CHECK: def main():
# CHECK: out_buffer = T.allocate([4], "float32", "global", annotations={"input_tensor": "out", "output_tensor": "out", {{.*}}["output", 1]
# CHECK: in_buffer = T.allocate([4], "float32", "global", annotations={"input_tensor": "in_", {{.*}}["input", 0]
# CHECK: T.call_extern("int32", "library", in_buffer, out_buffer)
@I.ir_module
class Handles:
    @T.prim_func
    def main(in_: T.handle, out: T.handle):
        T.func_attr({"global_symbol": "main", "tenon.externs": {"library": ["r", "rw"]}})
        in_buffer = T.match_buffer(in_, (4,), "float32")
        out_buffer = T.match_buffer(out, (4,), "float32")
        T.evaluate(T.call_extern("int32", "library", in_, out))
# -----
# ERROR: error: `x` cannot be in the workspace: it has no constant shape, or strides or an offset [pass]
# ERROR: error: `z` cannot be in the workspace
@I.ir_module
class Strided:
    @T.prim_func
    def main(x: T.handle, y: T.handle, z: T.handle):
        T.func_attr({"global_symbol": "main"})
        n = T.int32()
        x_1 = T.match_buffer(x, (4, 4), "float32", strides=(8, 1))
        y_1 = T.match_buffer(y, (4, 4), "float32", strides=(4, 1))
        z_1 = T.match_buffer(z, (n,), "float32")
        y_1[0, 0] = x_1[0, 0] + z_1[0]
# -----
# ERROR: error: the module is already planned: its inputs and outputs stay outside of its pools [pass]
@I.ir_module
class Planned:
    @T.prim_func
    def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8"), ws: T.Buffer((4,), "uint8")):
        T.func_attr({"global_symbol": "main", "pool_args": []})
        for i in range(4):
            y[i] = x[i]
