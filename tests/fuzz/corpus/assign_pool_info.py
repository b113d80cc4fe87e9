# from tvm.script import ir as I
# from tvm.script import tir as T





@I.ir_module
class Module:
    @T.prim_func
    def a_default(A: T.Buffer((3,), "int8")):
        c = T.allocate_const([1, 2, 3], "int8", [3])
        t = T.allocate([3], "int8", "global")
        u = T.allocate([3], "int8", "global", annotations={"candidate_memory_pools": ["mine"]})
        c_1 = T.Buffer((3,), "int8", data=c)
        t_1 = T.Buffer((3,), "int8", data=t)
        u_1 = T.Buffer((3,), "int8", data=u)
        for i in range(3):
            t_1[i] = c_1[i] + A[i]
            u_1[i] = t_1[i]
            A[i] = u_1[i]
