# from tvm.script import tir as T

@T.prim_func
def main(x: T.Buffer((4,), "int32"), y: T.Buffer((4, 4), "int32")):
    with T.block("root"):
        A = T.alloc_buffer((4, 4), "int32", LAYOUT)
        for i, j in T.grid(4, 4):
            with T.block("w"):
                vi, vj = T.axis.remap("SS", [i, j])
                A[vi, vj] = x[vi] * 10 + vj
        for i, j in T.grid(4, 4):
            with T.block("r"):
                vi, vj = T.axis.remap("SS", [i, j])
                y[vi, vj] = A[vi, vj]
