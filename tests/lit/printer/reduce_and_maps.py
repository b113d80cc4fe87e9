# Nodes from tensor expressions and layouts: reductions, reducers, index maps.
#
# RUN: grep -v "^ *#" %s > %t.in
# RUN: tenon-opt --verify-roundtrip %s | grep -v "^ *#" > %t.out
# RUN: diff %t.in %t.out
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"device": I.vdevice({"keys": ["cpu"], "kind": "llvm", "tag": ""}, 0, "global"), "info": [I.dummy_global_info(), I.GlobalVar("f")], "op": I.Op("tir.exp")})
    @T.prim_func
    def layouts(a: T.handle, b: T.handle):
        T.func_attr({"map": T.index_map(lambda i0, i1: (i0 // T.int64(4), i1, i0 % T.int64(4))), "maps": [T.index_map(lambda i: (i,)), T.index_map(lambda i, j: (j, i))]})
        A = T.match_buffer(a, (16, 4), buffer_type="auto", axis_separators=[1])
        B = T.match_buffer(b, (64,), strides=("B_s0",), offset_factor=4)
        with T.block("root"):
            T.reads(A[0, 0])
            T.writes(B[0])
            T.block_attr({"layout": T.index_map(lambda i: (i // 4, i % 4), inverse_index_map=lambda i, j: (i * 4 + j,)), "layout_free_placeholders": [0]})
            B[0] = A[0, 0]

    @T.prim_func
    def reduce(A: T.Buffer((4,), "float32"), B: T.Buffer((4, 16), "float32"), C: T.Buffer((4,), "int32")):
        for i in range(4):
            k = T.int32()
            A[i] = T.reduce(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), source=[B[i, k]], init=[], axis=[T.iter_var(k, T.Range(0, 16), "CommReduce", "")], condition=T.bool(True), value_index=0)
            k_1 = T.int32()
            C[i] = T.reduce(T.comm_reducer(lambda v, w, v_1, w_1: (T.Select(v < v_1, v, v_1), T.max(w, w_1)), [0, T.float32(0)]), source=[k_1, B[i, k_1]], init=[1, T.float32(2)], axis=[T.iter_var(k_1, T.Range(0, 16), "CommReduce", "")], condition=k_1 < i, value_index=0)

    @T.prim_func
    def shapes(a: T.handle, b: T.handle, c: T.handle):
        m, n, k = T.int32(), T.int64(), T.int32(is_size_var=True)
        A = T.match_buffer(a, (m, n, k))
        B = T.match_buffer(b, (m * 2,))
        q = T.int32()
        C = T.match_buffer(c, (q, m))
        A[0, 0, 0] = B[0] + C[0, 0]
