# Functions that TVM 0.27 printed are printed byte for byte.
#
# RUN: tenon-opt %s -o %t.out
# RUN: grep -v "^ *#" %s > %t.in
# RUN: grep -v "^ *#" %t.out > %t.again
# RUN: diff %t.in %t.again
# RUN: tenon-opt %s --verify-roundtrip > /dev/null
# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def plain(A: T.Buffer((16,), "int32"), S: T.Buffer((1,), "int32")):
        x: T.int32 = A[0]
        x = x * 2
        b = T.alloc_buffer((16,), "int32")
        S = x
        B = A.view(4, 4)
        C = A.view("uint8")
        B[0, 0] = x + b[0]
        C[1] = T.uint8(1)

    @T.prim_func(s_tir=True)
    def s_tir(A: T.Buffer((16,), "int32")):
        # with T.sblock("root"):
        for i in range(16):
            A[i] = 2 + (A[i] + 1 & 3 * A[i]) * ~(A[i] + 2)
            A[i] = T.Select(A[i] < 3 and A[i] & 1 == 1, A[i] * -1, T.if_then_else(A[i] > 2, 1, 2))
            A[i] = (A[i] << 2 << 3) - (A[i] << (A[i] << 2)) + ~~A[i]
            A[i] = T.min(A[i], 3) % 4 // 2 + T.truncmod(A[i], 3) + (A[i] + 3 - 1) // 3
            with T.sblock("x"):
                T.where(A[i] > 1)
                T.reads()
                T.writes()
                A[i] = 1
        if A[0] > 1:
            q: T.let[T.int32] = A[0] + 1
            A[1] = q
            A[2] = q
        else:
            A[1] = 2
        q: T.let[T.int32] = A[0] + 1
        A[2] = q
        for i in range(4):
            x: T.int32 = A[i]
            if x > 2:
                x = 3
            A[i] = x
            buf = T.alloc_buffer((4,), "int32")
            buf[0] = 1
        while A[0] < 3:
            A[0] = A[0] + 1
        T.evaluate(A.data)
        T.call_extern("int32", "foo", A.data, T.address_of(A[1]))
        A[0] = T.call_pure_extern("int32", "foo", T.tvm_access_ptr(T.type_annotation("int32"), A.data, 0, 3, 1))

    @T.prim_func(private=True, s_tir=True)
    def typed(A: T.Buffer((16,), "float8_e4m3fn"), B: T.Buffer((16,), "float32"), C: T.Buffer((1,), "bool")):
        T.func_attr({"target": T.target({"keys": ["cpu"], "kind": "llvm", "mtriple": "x86_64-conda-linux-gnu", "tag": ""}), "tirx.noalias": True, "x": T.bool(True), "y": {"a": [1, 2.5, True, T.int64(3)]}})
        # with T.sblock("root"):
        l = T.sblock_alloc_buffer((16,))
        for i in range(16):
            with T.sblock("b"):
                vi = T.axis.spatial(16, i)
                T.reads(A[vi])
                T.writes(B[vi])
                T.sblock_attr({"k": True})
                m = T.match_buffer(B[vi], (1,), offset_factor=1)
                B[vi] = T.Cast("float32", A[vi])
        B[0:4] = T.Broadcast(T.float32(2.0), 4)
        C[0] = T.And(T.bool(True), not C[0])
