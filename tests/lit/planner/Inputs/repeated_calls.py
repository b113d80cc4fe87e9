# Operators called two and three times, in the shape of TVM's test: a function's allocation has one place and
# one lifetime per call, so that some pairs conflict twice. sid_23 declares less than its size; TVM's text
# writes to it, which is an error here, so the first operator reads it.
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class RepeatedCalls:
    @T.prim_func
    def layout_1(data: T.Buffer((864,), "float32"), out: T.Buffer((864,), "float32")):
        for i in range(864):
            out[i] = data[i % 72 * 12 + i // 72]

    @T.prim_func
    def conv(data: T.Buffer((864,), "float32"), out: T.Buffer((864,), "float32")):
        data_pad = T.decl_buffer((1092,))
        for i in range(1092):
            data_pad[i] = T.if_then_else(i < 864, data[i], T.float32(0))
        for r in range(24):
            conv2d_NCHWc_global = T.decl_buffer((36,))
            for k in range(36):
                conv2d_NCHWc_global[k] = T.float32(0)
            for h, k in T.grid(3, 36):
                conv2d_NCHWc_global[k] = conv2d_NCHWc_global[k] + data_pad[h * 42 + r * 42 + k]
            for k in range(36):
                out[r * 36 + k] = conv2d_NCHWc_global[k]

    @T.prim_func
    def softmax_add_multiply(data: T.Buffer((864,), "float32"), other: T.Buffer((864,), "float32"), out: T.Buffer((864,), "float32")):
        for r in range(72):
            T_softmax_norm = T.decl_buffer((12,))
            with T.decl_buffer((1,)) as T_softmax_maxelem:
                T_softmax_maxelem[0] = T.float32(-3.4028234663852886e+38)
                for k in range(12):
                    T_softmax_maxelem[0] = T.max(T_softmax_maxelem[0], data[r * 12 + k])
                T_softmax_exp = T.decl_buffer((12,))
                for k in range(12):
                    T_softmax_exp[k] = T.exp(data[r * 12 + k] - T_softmax_maxelem[0])
                T_softmax_expsum = T.decl_buffer((1,))
                T_softmax_expsum[0] = T.float32(0)
                for k in range(12):
                    T_softmax_expsum[0] = T_softmax_expsum[0] + T_softmax_exp[k]
                for k in range(12):
                    T_softmax_norm[k] = T_softmax_exp[k] / T_softmax_expsum[0]
            for k in range(12):
                out[r * 12 + k] = other[r * 12 + k] + T_softmax_norm[k]

    @T.prim_func
    def dense(data: T.Buffer((864,), "float32"), out: T.Buffer((864,), "float32")):
        for r in range(18):
            compute = T.decl_buffer((48,))
            with T.decl_buffer((48,)) as compute_global:
                for k in range(48):
                    compute_global[k] = T.float32(0)
                for h, k in T.grid(4, 48):
                    compute_global[k] = compute_global[k] + data[(r * 48 + h * 36 + k) % 864]
                for k in range(48):
                    compute[k] = compute_global[k]
            for k in range(48):
                out[r * 48 + k] = T.max(compute[k], T.float32(0))

    @T.prim_func
    def reshape_1(data: T.Buffer((864,), "float32"), out: T.Buffer((864,), "float32")):
        for i in range(864):
            out[i] = data[i]

    @T.prim_func
    def layout(data: T.Buffer((864,), "float32"), out: T.Buffer((864,), "float32")):
        for i in range(864):
            out[i] = data[i % 12 * 72 + i // 12]

    @T.prim_func
    def reshape(data: T.Buffer((864,), "float32"), out: T.Buffer((864,), "float32")):
        for i in range(864):
            out[i] = data[i]

    @T.prim_func
    def softmax_add(data: T.Buffer((864,), "float32"), other: T.Buffer((864,), "float32"), out: T.Buffer((864,), "float32")):
        for r in range(72):
            T_softmax_norm = T.decl_buffer((12,))
            with T.decl_buffer((1,)) as T_softmax_maxelem:
                T_softmax_maxelem[0] = T.float32(-3.4028234663852886e+38)
                for k in range(12):
                    T_softmax_maxelem[0] = T.max(T_softmax_maxelem[0], data[r * 12 + k])
                T_softmax_exp = T.decl_buffer((12,))
                for k in range(12):
                    T_softmax_exp[k] = T.exp(data[r * 12 + k] - T_softmax_maxelem[0])
                T_softmax_expsum = T.decl_buffer((1,))
                T_softmax_expsum[0] = T.float32(0)
                for k in range(12):
                    T_softmax_expsum[0] = T_softmax_expsum[0] + T_softmax_exp[k]
                for k in range(12):
                    T_softmax_norm[k] = T_softmax_exp[k] / T_softmax_expsum[0]
            for k in range(12):
                out[r * 12 + k] = other[r * 12 + k] + T_softmax_norm[k]

    @T.prim_func
    def __tvm_main__(input: T.Buffer((864,), "float32"), output: T.Buffer((864,), "float32")):
        T.func_attr({"global_symbol": "tvmgen_default___tvm_main__", "runner_function": T.bool(True)})
        sid_11 = T.allocate([3456], "int8", "global.workspace")
        sid_5 = T.allocate([3456], "int8", "global.workspace")
        sid_10 = T.allocate([3456], "int8", "global.workspace")
        sid_6 = T.allocate([3456], "int8", "global.workspace")
        sid_8 = T.allocate([3456], "int8", "global.workspace")
        sid_2 = T.allocate([3456], "int8", "global.workspace")
        sid_7 = T.allocate([3456], "int8", "global.workspace")
        sid_3 = T.allocate([3456], "int8", "global.workspace")
        sid_12 = T.allocate([3456], "int8", "global.workspace")
        sid_4 = T.allocate([3456], "int8", "global.workspace")
        sid_18 = T.allocate([3456], "int8", "global.workspace")
        sid_19 = T.allocate([3456], "int8", "global.workspace")
        sid_20 = T.allocate([3456], "int8", "global.workspace")
        sid_21 = T.allocate_const([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], "int8", [10])
        sid_22 = T.allocate_const([1], "int8", [1])
        sid_23 = T.allocate_const([2, 1], "int8", [3456])
        T.call_cpacked("layout_1", sid_23, sid_8)
        T.call_cpacked("conv", sid_8, sid_7)
        T.call_cpacked("layout", sid_7, sid_6)
        T.call_cpacked("reshape_1", input.data, sid_12)
        T.call_cpacked("dense", sid_12, sid_11)
        T.call_cpacked("reshape", sid_11, sid_10)
        T.call_cpacked("softmax_add_multiply", sid_6, sid_10, sid_5)
        T.call_cpacked("layout_1", sid_5, sid_4)
        T.call_cpacked("conv", sid_4, sid_3)
        T.call_cpacked("layout", sid_3, sid_2)
        T.call_cpacked("reshape_1", sid_5, sid_20)
        T.call_cpacked("dense", sid_20, sid_19)
        T.call_cpacked("reshape", sid_19, sid_18)
        T.call_cpacked("softmax_add", sid_2, sid_18, output.data)
