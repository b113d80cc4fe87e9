# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def declared(A: T.Buffer((16,), "float32")):
        with T.decl_buffer((4, 4), data=A.data) as B:
            B[0, 0] = T.float32(1)
        C = T.decl_buffer((8,), "int8", data=A.data, strides=(2,), elem_offset=4, align=16)
        C[1] = T.int8(2)

    @T.prim_func
    def matched(a: T.handle, b: T.handle, c: T.handle, d: T.handle, e: T.handle):
        A = T.match_buffer(a, (4, 4), strides=(8, 1), align=16)
        B = T.match_buffer(b, (4,), "int8", elem_offset=3, scope="shared")
        n, m = T.int32(), T.int32()
        C = T.match_buffer(c, (n, m), strides=("C_s0", "C_s1"), offset_factor=1)
        D = T.match_buffer(d, (n * 2,), "float16", offset_factor=8)
        E = T.match_buffer(e, (), "int64", buffer_type="auto")
        C[0, 1] = A[1, 2]
        B[0] = T.int8(1)
        D[0] = T.float16(1)
        E[()] = T.int64(3)
        T.call_extern("int32", "f", C.data, C.strides[0], C.strides[1], C.elem_offset, n, D.elem_offset)

    @T.prim_func
    def own_storage():
        A = T.decl_buffer((4, 4))
        B = T.decl_buffer((4,), "int8", scope="global.workspace")
        A[0, 0] = T.float32(1)
        B[0] = T.int8(1)
        T.call_extern("int32", "f", A.data, B.data)

    @T.prim_func
    def vectors(A: T.Buffer((16,), "float32"), B: T.Buffer((4,), "float32x4")):
        A[0:8] = A[8:16]
        A[0:8:2] = T.Broadcast(T.float32(0), 4)
        for i in range(4):
            A[i * 4:i * 4 + 4] = B[i]
        B[0] = A.vload([T.Ramp(0, 1, 4)], predicate=T.Broadcast(T.bool(True), 4))
        A.vstore([T.Ramp(0, 1, 4)], B[1], predicate=T.Broadcast(T.bool(True), 4))
