# Blocks, without the root block if readers restore it.
#
# RUN: grep -v "^ *#" %s > %t.in
# RUN: tenon-opt %s | grep -v "^ *#" > %t.out
# RUN: diff %t.in %t.out
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def matmul(A: T.Buffer((8, 16), "float32"), B: T.Buffer((16, 8), "float32"), C: T.Buffer((8, 8), "float32")):
        D = T.alloc_buffer((8, 8))
        for i, j, k in T.grid(8, 8, 16):
            with T.block("D"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.where(i * 8 + j < 60)
                T.reads(A[vi, vk], B[vk, vj])
                T.writes(D[vi, vj])
                T.block_attr({"k": 1})
                with T.init():
                    D[vi, vj] = T.float32(0)
                D[vi, vj] = D[vi, vj] + A[vi, vk] * B[vk, vj]
        for i, j in T.grid(8, 2):
            with T.block("C"):
                vi = T.axis.spatial(8, i)
                vj = T.axis.spatial((1, 8), j * 4)
                vr = T.axis.reduce((1, 3), 1)
                vo = T.axis.opaque(2, 0)
                vs = T.axis.scan(2, 0)
                T.reads(D[vi, vj:vj + 4])
                T.writes(C[vi, vj:vj + 4])
                E = T.alloc_buffer((4,), scope="shared")
                F = T.match_buffer(D[vi, vj:vj + 4], (4,), offset_factor=1)
                for l in range(4):
                    C[vi, vj + l] = F[l] + E[vr + vo + vs]

    @T.prim_func
    def root(A: T.Buffer((8,), "float32")):
        with T.block("root"):
            T.reads()
            T.writes()
            A[0] = T.float32(1)
