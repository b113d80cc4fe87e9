# The order of loops of values without sums, and of results with one sum.
# RUN: tenon-opt %s --pipeline=choose-blocks --verify-schedules --print-schedules -o %t.py --timing 2>&1 | FileCheck %s --check-prefix=COUNT
# RUN: FileCheck %s < %t.py
# COUNT: 5 {{ *}}choose-blocks.read_back
# COUNT: note: choose-blocks: schedules of `columns` with the model's cycles: orders of loops: {{[0-9]+}} i0 i1 i2; {{[0-9]+}} i1 i2 i0; {{[0-9]+}} i0 i2 i1
# RUN: tenon-opt %t.py --pipeline=choose-blocks --verify-schedules -o %t.again.py && diff %t.py %t.again.py
# RUN: mkdir -p %t.in && %python %S/Inputs/orders_inputs.py %t.in
# RUN: tenon run %s --input x=%t.in/x.npy --input z=%t.in/z.npy --output y=%t.y.npy --output s=%t.s.npy -q
# RUN: tenon run %t.py --input x=%t.in/x.npy --input z=%t.in/z.npy --expect y=%t.y.npy --expect s=%t.s.npy -q
# RUN: tenon run %t.py --input x=%t.in/x.npy --input z=%t.in/z.npy --expect y=%t.y.npy --expect s=%t.s.npy --engine=jit -O3 -q

from tvm.script import ir as I
from tvm.script import tir as T


@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer((32768,), "float32"), z: T.Buffer((1024,), "int8"), y: T.Buffer((32768,), "float32"), s: T.Buffer((16,), "int32")):
        T.evaluate(T.call_extern("int32", "columns", x.data, y.data))
        T.evaluate(T.call_extern("int32", "scaled", x.data, y.data))
        T.evaluate(T.call_extern("int32", "in_place", y.data))
        T.evaluate(T.call_extern("int32", "blocks", x.data, y.data))
        T.evaluate(T.call_extern("int32", "open_sums", z.data, s.data))
        T.evaluate(T.call_extern("int32", "skipped_steps", z.data, s.data))

    # Tiles of the two innermost loops are transposed in registers. The loop over a blocked axis becomes two loops.
    # CHECK-LABEL: def blocks(
    # CHECK: for i0, i1, i2 in T.grid(16, 128, 8):
    # CHECK: y_1[i0 * 1024 + i1 * 8 + i2] = x_1[i0 * 1024 + i1 + i2 * 128]
    @T.prim_func(private=True)
    def blocks(x: T.Buffer((32768,), "float32"), y: T.Buffer((32768,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j in T.grid(128, 128):
            y[j // 8 * 1024 + i * 8 + j % 8] = x[j * 128 + i]

    # Vectors run along the rows of both buffers.
    # CHECK-LABEL: def columns(
    # CHECK: for i0, i1, i2_block in T.grid(32, 16, 4):
    # CHECK: y_1[i0 * 1024 + i1 * 64 + i2_block * 16:i0 * 1024 + i1 * 64 + i2_block * 16 + 16] =
    @T.prim_func(private=True)
    def columns(x: T.Buffer((32768,), "float32"), y: T.Buffer((32768,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for k, j, i in T.grid(64, 32, 16):
            y[j * 1024 + i * 64 + k] = x[i * 2048 + j * 64 + k] + T.float32(1)

    # Each element is read before it is stored.
    # CHECK-LABEL: def in_place(
    # CHECK: for i0_block in range(2048):
    @T.prim_func(private=True)
    def in_place(y: T.Buffer((32768,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for j, i in T.grid(128, 256):
            y[i * 128 + j] = y[i * 128 + j] + T.float32(1)

    # The original loops add up 16 sums at once.
    # CHECK-LABEL: def open_sums(
    # CHECK: for i0 in range(16):
    # CHECK: for i1, i2 in T.grid(4, 16):
    @T.prim_func(private=True)
    def open_sums(z: T.Buffer((1024,), "int8"), s: T.Buffer((16,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(16):
            s[i] = 0
        for k, j, i in T.grid(4, 16, 16):
            s[i] = s[i] + T.Cast("int32", z[k * 256 + i * 16 + j])

    # Both inner loops continue the same rows, so they are one loop.
    # CHECK-LABEL: def scaled(
    # CHECK: for i0, i1_block in T.grid(32, 64):
    @T.prim_func(private=True)
    def scaled(x: T.Buffer((32768,), "float32"), y: T.Buffer((32768,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j, k in T.grid(32, 8, 128):
            y[i * 1024 + j * 128 + k] = x[i * 1024 + j * 128 + k] * x[i]

    # The original loops skip steps of sums.
    # CHECK-LABEL: def skipped_steps(
    # CHECK: for i in range(8):
    # CHECK: if i + k >= 3:
    @T.prim_func(private=True)
    def skipped_steps(z: T.Buffer((1024,), "int8"), s: T.Buffer((16,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(8):
            s[i] = 0
            for k in range(30):
                if i + k >= 3:
                    s[i] = s[i] + T.Cast("int32", z[i * 30 + k])
