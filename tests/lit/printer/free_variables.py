# Names without a definition, which the verifier refuses: pointers, sizes, buffers without storage, threads of several attributes.
#
# RUN: grep -v "^ *#" %s > %t.in
# RUN: tenon-opt --no-verify-each %s | grep -v "^ *#" > %t.out
# RUN: diff %t.in %t.out
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def free():
        p = T.handle("float32", "global")
        for i in range(4):
            n = T.int32()
            T.call_extern("int32", "f", n, n)
            X = T.Buffer((4,))
            X[0] = T.float32(1)
            Y = T.Buffer((2,), data=X.data)
            Y[1] = T.float32(2)
            T.call_extern("int32", "g", p)
        T.call_extern("int32", "g", p)

    @T.prim_func
    def threads(A: T.Buffer((32,), "int32")):
        ty = T.env_thread("threadIdx.y")
        with T.launch_thread(ty, 32):
            A[ty] = ty
        T.launch_thread(ty, 16)
        A[ty] = 1
