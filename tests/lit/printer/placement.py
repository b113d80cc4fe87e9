# Aliases and free variables are defined before their first use, in the innermost frame of all uses.
#
# RUN: grep -v "^ *#" %s > %t.in
# RUN: tenon-opt %s | grep -v "^ *#" > %t.out
# RUN: diff %t.in %t.out
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def aliases(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4, 4), "float32")):
        C = T.allocate([16], "float32", "global")
        C_1 = T.Buffer((16,), data=C)
        for i, j in T.grid(4, 4):
            A_1 = T.Buffer((16,), data=A.data)
            C_1[i * 4 + j] = A_1[i * 4 + j]
        for i in range(16):
            x: T.float32 = C_1[i]
            B_1 = T.Buffer((16,), data=B.data)
            B_1[i] = x + x

    @T.prim_func
    def branch_frames(A: T.Buffer((4, 4), "float32")):
        for i in range(16):
            if i < 8:
                A_1 = T.Buffer((16,), data=A.data)
                x: T.int32 = i + 1
                A_1[i] = A_1[x]
            else:
                A_1 = T.Buffer((16,), data=A.data)
                for j in range(4):
                    A_1[j] = T.float32(0)

    @T.prim_func
    def threads(A: T.Buffer((32,), "int32")):
        with T.launch_thread("threadIdx.x", 32) as tx:
            A[tx] = tx
        tx = T.launch_thread("threadIdx.x", 32)
        A[tx] = A[tx] + 1

    # The statement of a branch defines the storage: its buffer is declared inside.
    @T.prim_func
    def whole_branch(A: T.Buffer((4,), "int32"), n: T.bool):
        if n:
            a = T.allocate([4], "int32", "global")
            a_1 = T.Buffer((4,), "int32", data=a)
            a_1[0] = A[0]
            A[1] = a_1[0]
