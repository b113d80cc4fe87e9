# Bounds of inner loops and layouts of buffers may depend on the loop that a pass removes: then the loop stays.
# RUN: tenon-opt %s --pipeline=jam-loops | FileCheck %s
# RUN: tenon-opt %s --pipeline=promote-accumulators | FileCheck %s
# RUN: tenon-opt %s --pipeline='lower-blocks,flatten-buffers,vectorize-loops,promote-accumulators,jam-loops' | FileCheck %s --check-prefix=FLAT

# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # CHECK-LABEL: def declared
    # FLAT-LABEL: def declared
    @T.prim_func
    def declared(x: T.Buffer((16,), "float32"), y: T.Buffer((64,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # CHECK: for i in range(16):
        # CHECK-NEXT: row = T.decl_buffer((4,), data=y.data, elem_offset=i * 4)
        # CHECK-NEXT: row[1] = x[i]
        # FLAT: row[1 + i * 4] = x[i]
        for i in range(16):
            row = T.decl_buffer((4,), "float32", data=y.data, elem_offset=i * 4)
            row[1] = x[i]

    # CHECK-LABEL: def evaluated
    @T.prim_func
    def evaluated(x: T.Buffer((16,), "float32"), y: T.Buffer((16,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # CHECK: for i in range(16):
        # CHECK-NEXT: y[i] = x[i]
        # CHECK-NEXT: T.evaluate(i)
        for i in range(16):
            y[i] = x[i]
            T.evaluate(i)

    # CHECK-LABEL: def matched
    # FLAT-LABEL: def matched
    @T.prim_func
    def matched(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for j in range(16):
            with T.block("copy"):
                T.reads(A[j])
                T.writes(B[j])
                A1 = T.match_buffer(A[j], (), offset_factor=1)
                B1 = T.match_buffer(B[j], (), offset_factor=1)
                # CHECK: B1[()] = A1[()]
                # FLAT: B1[j] = A1[j]
                B1[()] = A1[()]

    # CHECK-LABEL: def triangle
    @T.prim_func
    def triangle(x: T.Buffer((16,), "float32"), y: T.Buffer((16,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # CHECK: for i in range(16):
        # CHECK-NEXT: for k in range(i):
        # CHECK-NEXT: y[i] = x[k]
        for i in range(16):
            for k in range(i):
                y[i] = x[k]

    # CHECK-LABEL: def view
    @T.prim_func
    def view(x: T.Buffer((16,), "float32"), y: T.Buffer((64,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # CHECK: for k in range(16):
        # CHECK: s[0] = s[0] + x[k]
        for k in range(16):
            s = T.Buffer((1,), "float32", data=y.data, elem_offset=k * 2)
            s[0] = s[0] + x[k]
