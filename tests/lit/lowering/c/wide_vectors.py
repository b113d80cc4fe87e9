# A vector of 1,024 bytes or more whose lanes must all be read before any is written: its temporary is too large for the
# stack, so it is in a pool. Every engine gives the same elements.
# RUN: rm -rf %t && tenon compile %s --emit=c -o %t/c
# RUN: FileCheck %s --input-file=%t/c/tvmgen_default.c
# RUN: tenon compile %s --emit=c --c-vectors=gnu -o %t/gnu
# RUN: FileCheck %s --input-file=%t/gnu/tvmgen_default.c
# RUN: tenon run %s --output y=%t/interp.npy
# RUN: tenon run %s --engine=c --cc=%cc --output y=%t/c.npy
# RUN: cmp %t/interp.npy %t/c.npy
# RUN: %if llvm %{ tenon run %s --engine=jit --output y=%t/jit.npy %}
# RUN: %if llvm %{ cmp %t/interp.npy %t/jit.npy %}

# CHECK: pool `global_workspace`
# CHECK: [[VALUES:values_let[_0-9]*]] = (tenon_float32*)(&global_workspace_0_var[
# CHECK: [[V:values_let[_0-9]*]] = (tenon_float32*)(&global_workspace_0_var[
# CHECK-NOT: TENON_ALIGNED
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(y: T.Buffer((1200,), "float32")):
        for i in range(1200):
            y[i] = T.Cast("float32", i * 7 % 31)
        y[1:513] = y[0:512] + T.Broadcast(T.float32(1), 512)
        v: T.float32x512 = y[0:512] * T.Broadcast(T.float32(2), 512)
        y[200:712] = v + y[600:1112]
        # Indices take more bytes than the values: 300 of int64.
        with T.launch_thread("threadIdx.x", 2) as j:
            y[T.Cast("int64x300", y[0:300])] = y[300:600] + T.Broadcast(T.Cast("float32", j), 300)
