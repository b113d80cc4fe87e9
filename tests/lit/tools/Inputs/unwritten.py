# from tvm.script import ir as I
# from tvm.script import tir as T

# The inner loop never runs: passes detect that nothing writes B.
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32"), C: T.Buffer((2,), "float32")):
        for i in T.serial(16):
            for j in T.serial(i - 20):
                B[j] = A[j]
        for i in T.serial(2):
            C[i] = A[i]
