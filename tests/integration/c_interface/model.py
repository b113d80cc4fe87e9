# A model that is small enough to compute by hand: y = (x . w) >> 2, z = the sum of y. It refuses
# inputs whose first number is 127, with an error code. from tvm.script import ir as I from
# tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def check(p: T.handle("int8", "global")):
        T.func_attr({"global_symbol": "tvmgen_default_check", "tir.noalias": T.bool(True)})
        x = T.Buffer((4,), "int8", data=p)
        assert x[0] != T.int8(127), "first number out of range"
        T.evaluate(0)

    @T.prim_func
    def dense(p: T.handle("int8", "global"), out: T.handle("int32", "global")):
        T.func_attr({"global_symbol": "tvmgen_default_dense", "tir.noalias": T.bool(True)})
        x = T.Buffer((4,), "int8", data=p)
        y = T.Buffer((3,), "int32", data=out)
        w = T.allocate_const([1, -2, 3, 4, 5, 6, 7, -8, 9, 10, 11, -128], "int8", [12])
        w_1 = T.Buffer((12,), "int8", data=w)
        for i in range(3):
            y[i] = 0
            for j in range(4):
                y[i] = y[i] + T.Cast("int32", x[j]) * T.Cast("int32", w_1[i * 4 + j])

    @T.prim_func
    def finish(p: T.handle("int32", "global"), out: T.handle("int32", "global"), total: T.handle("int64", "global")):
        T.func_attr({"global_symbol": "tvmgen_default_finish", "tir.noalias": T.bool(True)})
        sums = T.Buffer((3,), "int32", data=p)
        y = T.Buffer((3,), "int32", data=out)
        z = T.Buffer((1,), "int64", data=total)
        z[0] = T.int64(0)
        for i in range(3):
            y[i] = T.shift_right(sums[i], 2)
            z[0] = z[0] + T.Cast("int64", y[i])

    @T.prim_func
    def __tvm_main__(x: T.Buffer((1, 4), "int8"), y: T.Buffer((1, 3), "int32"), z: T.Buffer((1,), "int64")):
        T.func_attr({"global_symbol": "tvmgen_default___tvm_main__", "runner_function": T.bool(True)})
        sums = T.allocate([12], "int8", "global.workspace")
        T.call_extern("int32", "tvmgen_default_check", x.data)
        T.call_extern("int32", "tvmgen_default_dense", x.data, sums)
        T.call_extern("int32", "tvmgen_default_finish", sums, y.data, z.data)
