# A Relax function whose two layers share a kernel of integers: all constants are in the function.
# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("w0", [1, -2, 3, 4, -5, 6, 7, -8, 9, -1, 2, 3, 4, 5, -6, 7], "int8", [4, 4]), I.constant("w1", [9, 8, -7, 6, 5, -4, 3, 2, 1, 0, -1, 2, -3, 4, 5, 6], "int8", [4, 4]), I.constant("b0", [100, -200, 300, 0], "int32", [4]), I.constant("m0", [1278221461, 1678221461, 1378221461, 1878221461], "int32", [4]), I.constant("s0", [2, 3, 2, 4], "int32", [4])]})

    @T.prim_func(private=True, s_tir=True)
    def dense(A: T.Buffer((T.int64(1), T.int64(4)), "int8"), W: T.Buffer((T.int64(4), T.int64(4)), "int8"), bias: T.Buffer((T.int64(4),), "int32"), m: T.Buffer((T.int64(4),), "int32"), s: T.Buffer((T.int64(4),), "int32"), C: T.Buffer((T.int64(1), T.int64(4)), "int8")):
        T.func_attr({"tirx.noalias": True})
        sum = T.alloc_buffer((T.int64(1), T.int64(4)), "int32")
        for i, j, k in T.grid(T.int64(1), T.int64(4), T.int64(4)):
            with T.sblock("sum"):
                v_i, v_j, v_k = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    sum[v_i, v_j] = 0
                sum[v_i, v_j] = sum[v_i, v_j] + (T.Cast("int32", A[v_i, v_k]) - 7) * T.Cast("int32", W[v_j, v_k])
        for i, j in T.grid(T.int64(1), T.int64(4)):
            with T.sblock("requantise"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                C[v_i, v_j] = T.Cast("int8", T.max(T.min(T.q_multiply_shift_per_axis(sum[v_i, v_j] + bias[v_j], m[v_j], 0, s[v_j], 31, False, True) + 3, 127), -128))

    @R.function
    def main(x: R.Tensor((1, 4), dtype="int8")) -> R.Tensor((1, 4), dtype="int8"):
        cls = Module
        with R.dataflow():
            lv = R.call_tir(cls.dense, (x, I.constant("w0"), I.constant("b0"), I.constant("m0"), I.constant("s0")), out_ty=R.Tensor((1, 4), dtype="int8"))
            gv = R.call_tir(cls.dense, (lv, I.constant("w1"), I.constant("b0"), I.constant("m0"), I.constant("s0")), out_ty=R.Tensor((1, 4), dtype="int8"))
            R.output(gv)
        return gv
