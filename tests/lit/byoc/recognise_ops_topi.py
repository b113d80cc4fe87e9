# Operators as TVM's schedules for C print them: fused loops, indices with divisions, pairs that are
# reduced together, indices that are read or computed. A unit test compares all claims with the bodies.
# RUN: tenon-opt --pipeline=recognise-ops --verify-roundtrip %s | FileCheck %s

# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # The windows differ in size.
    # CHECK-LABEL: def tvmgen_default_fused_adaptive_avg_pool2d(
    # CHECK-NEXT: "tenon.op": {"kind": "unknown"{{.*}}"because": "the bounds of a loop are not constant"
    @T.prim_func(private=True)
    def tvmgen_default_fused_adaptive_avg_pool2d(p0: T.Buffer((784,), "float32"), adaptive_pool_avg: T.Buffer((144,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        adaptive_pool_sum = T.allocate([1], "float32", "global.workspace")
        adaptive_pool_sum_1 = T.Buffer((1,), data=adaptive_pool_sum)
        for ax0_ax1_fused_ax2_fused_ax3_fused in range(144):
            adaptive_pool_sum_1[0] = T.float32(0)
            for rv0, rv1 in T.grid(ax0_ax1_fused_ax2_fused_ax3_fused % 9 // 3 % 2 + 3, ax0_ax1_fused_ax2_fused_ax3_fused % 3 % 2 + 3):
                adaptive_pool_sum_1[0] = adaptive_pool_sum_1[0] + p0[ax0_ax1_fused_ax2_fused_ax3_fused // 9 * 49 + ax0_ax1_fused_ax2_fused_ax3_fused % 9 // 3 * 14 + rv0 * 7 + ax0_ax1_fused_ax2_fused_ax3_fused % 3 * 2 + rv1]
            adaptive_pool_avg[ax0_ax1_fused_ax2_fused_ax3_fused] = adaptive_pool_sum_1[0] * T.float32(0.1)

    # A segmentation map of quantized scores.
    # CHECK-LABEL: def tvmgen_default_fused_argmax_int8(
    # CHECK-NEXT: "tenon.op": {"kind": "argmax"
    @T.prim_func(private=True)
    def tvmgen_default_fused_argmax_int8(p0: T.Buffer((640,), "int8"), p0_red: T.Buffer((64,), "int64")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        p0_red_temp_v0 = T.allocate([64], "int64", "global.workspace")
        p0_red_temp_v1 = T.allocate([64], "int8", "global.workspace")
        p0_red_temp_v0_1 = T.Buffer((64,), "int64", data=p0_red_temp_v0)
        p0_red_temp_v1_1 = T.Buffer((64,), "int8", data=p0_red_temp_v1)
        for ax0_ax1_fused_ax2_fused in range(64):
            p0_red_temp_v0_1[ax0_ax1_fused_ax2_fused] = T.int64(-1)
            p0_red_temp_v1_1[ax0_ax1_fused_ax2_fused] = T.int8(-128)
            for k1 in range(10):
                v_p0_red_temp_v0: T.int64 = T.Select(p0[ax0_ax1_fused_ax2_fused * 10 + k1] < p0_red_temp_v1_1[ax0_ax1_fused_ax2_fused] or (p0_red_temp_v1_1[ax0_ax1_fused_ax2_fused] == p0[ax0_ax1_fused_ax2_fused * 10 + k1] and p0_red_temp_v0_1[ax0_ax1_fused_ax2_fused] < T.Cast("int64", k1)), p0_red_temp_v0_1[ax0_ax1_fused_ax2_fused], T.Cast("int64", k1))
                v_p0_red_temp_v1: T.int8 = T.Select(p0[ax0_ax1_fused_ax2_fused * 10 + k1] < p0_red_temp_v1_1[ax0_ax1_fused_ax2_fused], p0_red_temp_v1_1[ax0_ax1_fused_ax2_fused], p0[ax0_ax1_fused_ax2_fused * 10 + k1])
                p0_red_temp_v0_1[ax0_ax1_fused_ax2_fused] = v_p0_red_temp_v0
                p0_red_temp_v1_1[ax0_ax1_fused_ax2_fused] = v_p0_red_temp_v1
        for ax0_ax1_fused_ax2_fused_1 in range(64):
            p0_red[ax0_ax1_fused_ax2_fused_1] = p0_red_temp_v0_1[ax0_ax1_fused_ax2_fused_1]

    # Over two axes; of equal values, the last one.
    # CHECK-LABEL: def tvmgen_default_fused_argmin(
    # CHECK-NEXT: "tenon.op": {"kind": "argmin"
    @T.prim_func(private=True)
    def tvmgen_default_fused_argmin(p0: T.Buffer((960,), "float32"), p0_red: T.Buffer((16,), "int32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        p0_red_temp_v0 = T.allocate([16], "int32", "global.workspace")
        p0_red_temp_v1 = T.allocate([16], "float32", "global.workspace")
        p0_red_temp_v0_1 = T.Buffer((16,), "int32", data=p0_red_temp_v0)
        p0_red_temp_v1_1 = T.Buffer((16,), data=p0_red_temp_v1)
        for ax0 in range(16):
            p0_red_temp_v0_1[ax0] = -1
            p0_red_temp_v1_1[ax0] = T.float32(3.4028234663852886e+38)
            for k1, k2 in T.grid(6, 10):
                cse_var_1: T.int32 = k1 * 160 + k2 * 16 + ax0
                v_p0_red_temp_v0: T.int32 = T.Select(p0_red_temp_v1_1[ax0] < p0[cse_var_1] or (p0_red_temp_v1_1[ax0] == p0[cse_var_1] and k1 * 10 + k2 < p0_red_temp_v0_1[ax0]), p0_red_temp_v0_1[ax0], k1 * 10 + k2)
                v_p0_red_temp_v1: T.float32 = T.Select(p0_red_temp_v1_1[ax0] < p0[cse_var_1], p0_red_temp_v1_1[ax0], p0[cse_var_1])
                p0_red_temp_v0_1[ax0] = v_p0_red_temp_v0
                p0_red_temp_v1_1[ax0] = v_p0_red_temp_v1
        for ax0_1 in range(16):
            p0_red[ax0_1] = p0_red_temp_v0_1[ax0_1]

    # CHECK-LABEL: def tvmgen_default_fused_batch_flatten(
    # CHECK-NEXT: "tenon.op": {"kind": "layout"
    @T.prim_func(private=True)
    def tvmgen_default_fused_batch_flatten(p0: T.Buffer((784,), "float32"), tensor: T.Buffer((784,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for ax0_ax1_fused in range(784):
            tensor[ax0_ax1_fused] = p0[ax0_ax1_fused // 49 * 49 + ax0_ax1_fused % 49 // 7 * 7 + ax0_ax1_fused % 7]

    # The scale of channels, with two axes more.
    # CHECK-LABEL: def tvmgen_default_fused_broadcast_to(
    # CHECK-NEXT: "tenon.op": {"kind": "layout"
    @T.prim_func(private=True)
    def tvmgen_default_fused_broadcast_to(p0: T.Buffer((16,), "float32"), T_broadcast_to: T.Buffer((784,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for ax0_ax1_fused_ax2_fused_ax3_fused in range(784):
            T_broadcast_to[ax0_ax1_fused_ax2_fused_ax3_fused] = p0[ax0_ax1_fused_ax2_fused_ax3_fused // 49]

    # Each value needs the previous one.
    # CHECK-LABEL: def tvmgen_default_fused_cumsum(
    # CHECK-NEXT: "tenon.op": {"kind": "unknown"
    @T.prim_func(private=True)
    def tvmgen_default_fused_cumsum(p0: T.Buffer((320,), "float32"), cumsum_generic: T.Buffer((320,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for fused in T.parallel(20):
            cumsum_generic[fused * 16] = p0[fused * 16]
            for _k in range(15):
                cumsum_generic[fused * 16 + _k + 1] = cumsum_generic[fused * 16 + _k] + p0[fused * 16 + _k + 1]

    # CHECK-LABEL: def tvmgen_default_fused_depth_to_space(
    # CHECK-NEXT: "tenon.op": {"kind": "layout"
    @T.prim_func(private=True)
    def tvmgen_default_fused_depth_to_space(p0: T.Buffer((576,), "float32"), depth_to_space: T.Buffer((576,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for ax0_ax1_fused_ax2_fused_ax3_fused in range(576):
            cse_var_1: T.int32 = ax0_ax1_fused_ax2_fused_ax3_fused % 144
            depth_to_space[ax0_ax1_fused_ax2_fused_ax3_fused] = p0[(cse_var_1 // 12 % 2 * 8 + cse_var_1 % 2 * 4 + ax0_ax1_fused_ax2_fused_ax3_fused // 144) * 36 + cse_var_1 // 24 * 6 + cse_var_1 % 12 // 2]

    # Rows of a table, with 64-bit indices.
    # CHECK-LABEL: def tvmgen_default_fused_embedding_int64(
    # CHECK-NEXT: "tenon.op": {"kind": "take"
    @T.prim_func(private=True)
    def tvmgen_default_fused_embedding_int64(p0: T.Buffer((3200,), "float32"), p1: T.Buffer((16,), "int64"), T_take: T.Buffer((512,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for ax0_ax1_fused_ax2_fused in range(512):
            T_take[ax0_ax1_fused_ax2_fused] = p0[T.min(T.max(T.int64(0), p1[ax0_ax1_fused_ax2_fused // 32]), T.int64(99)) * T.int64(32) + T.Cast("int64", ax0_ax1_fused_ax2_fused % 32)]

    # Two indices select a pixel with all of its channels.
    # CHECK-LABEL: def tvmgen_default_fused_gather_nd(
    # CHECK-NEXT: "tenon.op": {"kind": "take"
    @T.prim_func(private=True)
    def tvmgen_default_fused_gather_nd(p0: T.Buffer((784,), "float32"), p1: T.Buffer((40,), "int32"), T_gather_nd: T.Buffer((320,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for ax0, ax1 in T.grid(20, 16):
            T_gather_nd[ax0 * 16 + ax1] = p0[p1[ax0] * 112 + p1[ax0 + 20] * 16 + ax1]

    # Squeeze and excitation.
    # CHECK-LABEL: def tvmgen_default_fused_hard_sigmoid_multiply(
    # CHECK-NEXT: "tenon.op": {"kind": "elementwise"
    @T.prim_func(private=True)
    def tvmgen_default_fused_hard_sigmoid_multiply(p0: T.Buffer((784,), "float32"), p1: T.Buffer((16,), "float32"), T_multiply: T.Buffer((784,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        compute = T.allocate([16], "float32", "global.workspace")
        compute_1 = T.Buffer((16,), data=compute)
        for i3 in range(16):
            compute_1[i3] = T.max(T.min(p1[i3] + T.float32(3), T.float32(6)), T.float32(0))
        for ax0_ax1_fused_ax2_fused_ax3_fused in range(784):
            T_multiply[ax0_ax1_fused_ax2_fused_ax3_fused] = p0[ax0_ax1_fused_ax2_fused_ax3_fused] * (compute_1[ax0_ax1_fused_ax2_fused_ax3_fused % 16] * T.float32(0.16666667163372))

    # CHECK-LABEL: def tvmgen_default_fused_log_sum_exp(
    # CHECK-NEXT: "tenon.op": {"kind": "reduce"
    @T.prim_func(private=True)
    def tvmgen_default_fused_log_sum_exp(p0: T.Buffer((640,), "float32"), compute: T.Buffer((64,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        p0_red = T.allocate([64], "float32", "global.workspace")
        p0_red_1 = T.Buffer((64,), data=p0_red)
        sums = T.allocate([64], "float32", "global.workspace")
        sums_1 = T.Buffer((64,), data=sums)
        for ax0 in range(64):
            p0_red_1[ax0] = T.float32(-3.4028234663852886e+38)
            for k1 in range(10):
                p0_red_1[ax0] = T.max(p0_red_1[ax0], p0[ax0 * 10 + k1])
        for ax0 in range(64):
            sums_1[ax0] = T.float32(0)
            for k1 in range(10):
                sums_1[ax0] = sums_1[ax0] + T.exp(p0[ax0 * 10 + k1] - p0_red_1[ax0])
        for i0 in range(64):
            compute[i0] = T.log(sums_1[i0]) + p0_red_1[i0]

    # CHECK-LABEL: def tvmgen_default_fused_max(
    # CHECK-NEXT: "tenon.op": {"kind": "reduce"
    @T.prim_func(private=True)
    def tvmgen_default_fused_max(p0: T.Buffer((784,), "float32"), p0_red: T.Buffer((49,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for ax0_ax1_fused in range(49):
            p0_red[ax0_ax1_fused] = T.float32(-3.4028234663852886e+38)
            for k1 in range(16):
                p0_red[ax0_ax1_fused] = T.max(p0_red[ax0_ax1_fused], p0[k1 * 49 + ax0_ax1_fused])

    # CHECK-LABEL: def tvmgen_default_fused_min(
    # CHECK-NEXT: "tenon.op": {"kind": "reduce"
    @T.prim_func(private=True)
    def tvmgen_default_fused_min(p0: T.Buffer((784,), "int8"), p0_red: T.Buffer((49,), "int8")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for ax0_ax1_fused in range(49):
            p0_red[ax0_ax1_fused] = T.int8(127)
            for k1 in range(16):
                p0_red[ax0_ax1_fused] = T.min(p0_red[ax0_ax1_fused], p0[ax0_ax1_fused * 16 + k1])

    # One window over the whole image.
    # CHECK-LABEL: def tvmgen_default_fused_nn_adaptive_avg_pool2d(
    # CHECK-NEXT: "tenon.op": {"kind": "avg_pool"
    @T.prim_func(private=True)
    def tvmgen_default_fused_nn_adaptive_avg_pool2d(p0: T.Buffer((1, 7, 7, 16), "float32"), adaptive_pool_avg: T.Buffer((1, 1, 1, 16), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        adaptive_pool_sum = T.allocate([16], "float32", "global.workspace")
        adaptive_pool_sum_1 = T.Buffer((16,), data=adaptive_pool_sum)
        p0_1 = T.Buffer((784,), data=p0.data)
        adaptive_pool_avg_1 = T.Buffer((16,), data=adaptive_pool_avg.data)
        for ax3 in range(16):
            adaptive_pool_sum_1[ax3] = T.float32(0)
            for rv0, rv1 in T.grid(7, 7):
                adaptive_pool_sum_1[ax3] = adaptive_pool_sum_1[ax3] + p0_1[rv0 * 112 + rv1 * 16 + ax3]
        for ax3_1 in range(16):
            adaptive_pool_avg_1[ax3_1] = adaptive_pool_sum_1[ax3_1] * T.float32(0.020408162847161293)

    # CHECK-LABEL: def tvmgen_default_fused_nn_conv2d_dilated(
    # CHECK-NEXT: "tenon.op": {"kind": "conv2d"{{.*}}"dilation": [2, 2]
    @T.prim_func(private=True)
    def tvmgen_default_fused_nn_conv2d_dilated(p0: T.Buffer((648,), "float32"), p1: T.Buffer((576,), "float32"), conv2d_nhwc: T.Buffer((200,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for ff_yy_fused_xx_fused in range(25):
            for ff in range(8):
                conv2d_nhwc[ff_yy_fused_xx_fused * 8 + ff] = T.float32(0)
                for ry, rx, rc in T.grid(3, 3, 8):
                    conv2d_nhwc[ff_yy_fused_xx_fused * 8 + ff] = conv2d_nhwc[ff_yy_fused_xx_fused * 8 + ff] + p0[ff_yy_fused_xx_fused // 5 * 72 + ry * 144 + rx * 16 + ff_yy_fused_xx_fused % 5 * 8 + rc] * p1[ry * 192 + rx * 64 + rc * 8 + ff]

    # CHECK-LABEL: def tvmgen_default_fused_nn_group_conv2d_NCHW(
    # CHECK-NEXT: "tenon.op": {"kind": "grouped_conv2d"
    @T.prim_func(private=True)
    def tvmgen_default_fused_nn_group_conv2d_NCHW(p0: T.Buffer((392,), "float32"), p1: T.Buffer((288,), "float32"), group_conv2d_nchw: T.Buffer((392,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        pad_temp = T.allocate([648], "float32", "global.workspace")
        pad_temp_1 = T.Buffer((648,), data=pad_temp)
        for i1, i2, i3 in T.grid(8, 9, 9):
            pad_temp_1[i1 * 81 + i2 * 9 + i3] = T.if_then_else(1 <= i2 and i2 < 8 and 1 <= i3 and i3 < 8, p0[i1 * 49 + i2 * 7 + i3 - 8], T.float32(0))
        for ff, yy, xx in T.grid(8, 7, 7):
            group_conv2d_nchw[ff * 49 + yy * 7 + xx] = T.float32(0)
            for rc, ry, rx in T.grid(4, 3, 3):
                cse_var_1: T.int32 = ff * 49 + yy * 7 + xx
                group_conv2d_nchw[cse_var_1] = group_conv2d_nchw[cse_var_1] + pad_temp_1[ff // 4 * 324 + rc * 81 + yy * 9 + ry * 9 + xx + rx] * p1[ff * 36 + rc * 9 + ry * 3 + rx]

    # Two sums, concatenated.
    # CHECK-LABEL: def tvmgen_default_fused_nn_instance_norm(
    # CHECK-NEXT: "tenon.op": {"kind": "reduce"
    @T.prim_func(private=True)
    def tvmgen_default_fused_nn_instance_norm(p0: T.Buffer((784,), "float32"), p1: T.Buffer((16,), "float32"), p2: T.Buffer((16,), "float32"), T_instance_norm: T.Buffer((784,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        p0_red_temp_v0 = T.allocate([16], "float32", "global.workspace")
        p0_red_temp_v1 = T.allocate([16], "float32", "global.workspace")
        p0_red_temp_v0_1 = T.Buffer((16,), data=p0_red_temp_v0)
        p0_red_temp_v1_1 = T.Buffer((16,), data=p0_red_temp_v1)
        for ax1 in range(16):
            p0_red_temp_v0_1[ax1] = T.float32(0)
            p0_red_temp_v1_1[ax1] = T.float32(0)
            for k2, k3 in T.grid(7, 7):
                cse_var_1: T.int32 = ax1 * 49 + k2 * 7 + k3
                v_p0_red_temp_v0: T.float32 = p0_red_temp_v0_1[ax1] + p0[cse_var_1]
                v_p0_red_temp_v1: T.float32 = p0_red_temp_v1_1[ax1] + p0[cse_var_1] * p0[cse_var_1]
                p0_red_temp_v0_1[ax1] = v_p0_red_temp_v0
                p0_red_temp_v1_1[ax1] = v_p0_red_temp_v1
        for ax1, ax2, ax3 in T.grid(16, 7, 7):
            cse_var_2: T.int32 = ax1 * 49 + ax2 * 7 + ax3
            T_instance_norm[cse_var_2] = (p0[cse_var_2] - p0_red_temp_v0_1[ax1] * T.float32(0.020408162847161293)) * T.rsqrt(p0_red_temp_v1_1[ax1] * T.float32(0.020408162847161293) - p0_red_temp_v0_1[ax1] * T.float32(0.020408162847161293) * (p0_red_temp_v0_1[ax1] * T.float32(0.020408162847161293)) + T.float32(1.0000000000000001e-05)) * p1[ax1] + p2[ax1]

    # CHECK-LABEL: def tvmgen_default_fused_nn_pad_edge(
    # CHECK-NEXT: "tenon.op": {"kind": "layout"
    @T.prim_func(private=True)
    def tvmgen_default_fused_nn_pad_edge(p0: T.Buffer((196,), "float32"), replicate_pad: T.Buffer((324,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for i0_i1_fused_i2_fused_i3_fused in range(324):
            replicate_pad[i0_i1_fused_i2_fused_i3_fused] = p0[T.if_then_else(i0_i1_fused_i2_fused_i3_fused // 36 < 1, 0, T.if_then_else(8 <= i0_i1_fused_i2_fused_i3_fused // 36, 6, i0_i1_fused_i2_fused_i3_fused // 36 - 1)) * 28 + T.if_then_else(i0_i1_fused_i2_fused_i3_fused % 36 // 4 < 1, 0, T.if_then_else(8 <= i0_i1_fused_i2_fused_i3_fused % 36 // 4, 6, i0_i1_fused_i2_fused_i3_fused % 36 // 4 - 1)) * 4 + i0_i1_fused_i2_fused_i3_fused % 4]

    # CHECK-LABEL: def tvmgen_default_fused_nn_prelu(
    # CHECK-NEXT: "tenon.op": {"kind": "elementwise"
    @T.prim_func(private=True)
    def tvmgen_default_fused_nn_prelu(p0: T.Buffer((784,), "float32"), p1: T.Buffer((16,), "float32"), T_prelu: T.Buffer((784,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for ax0_ax1_fused_ax2_fused_ax3_fused in range(784):
            T_prelu[ax0_ax1_fused_ax2_fused_ax3_fused] = T.Select(T.float32(0) < p0[ax0_ax1_fused_ax2_fused_ax3_fused], p0[ax0_ax1_fused_ax2_fused_ax3_fused], p0[ax0_ax1_fused_ax2_fused_ax3_fused] * p1[ax0_ax1_fused_ax2_fused_ax3_fused % 16])

    # CHECK-LABEL: def tvmgen_default_fused_norm(
    # CHECK-NEXT: "tenon.op": {"kind": "reduce"
    @T.prim_func(private=True)
    def tvmgen_default_fused_norm(p0: T.Buffer((1024,), "float32"), compute: T.Buffer((16,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        p0_red = T.allocate([16], "float32", "global.workspace")
        p0_red_1 = T.Buffer((16,), data=p0_red)
        for ax0 in range(16):
            p0_red_1[ax0] = T.float32(0)
            for k1 in range(64):
                p0_red_1[ax0] = p0_red_1[ax0] + p0[ax0 * 64 + k1] * p0[ax0 * 64 + k1]
        for i0 in range(16):
            compute[i0] = T.sqrt(p0_red_1[i0])

    # CHECK-LABEL: def tvmgen_default_fused_one_hot(
    # CHECK-NEXT: "tenon.op": {"kind": "elementwise"
    @T.prim_func(private=True)
    def tvmgen_default_fused_one_hot(p0: T.Buffer((16,), "int32"), T_one_hot: T.Buffer((160,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for ax0_ax1_fused in range(160):
            T_one_hot[ax0_ax1_fused] = T.Select(p0[ax0_ax1_fused // 10] == ax0_ax1_fused % 10, T.float32(1), T.float32(0))

    # CHECK-LABEL: def tvmgen_default_fused_prod(
    # CHECK-NEXT: "tenon.op": {"kind": "reduce"
    @T.prim_func(private=True)
    def tvmgen_default_fused_prod(p0: T.Buffer((160,), "float32"), p0_red: T.Buffer((16,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for ax0 in range(16):
            p0_red[ax0] = T.float32(1)
            for k1 in range(10):
                p0_red[ax0] = p0_red[ax0] * p0[ax0 * 10 + k1]

    # CHECK-LABEL: def tvmgen_default_fused_qnn_dequantize_add_quantize(
    # CHECK-NEXT: "tenon.op": {"kind": "elementwise"
    @T.prim_func(private=True)
    def tvmgen_default_fused_qnn_dequantize_add_quantize(p0: T.Buffer((784,), "int8"), p1: T.Buffer((784,), "int8"), compute: T.Buffer((784,), "int8")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for ax0_ax1_fused_ax2_fused_ax3_fused in range(784):
            compute[ax0_ax1_fused_ax2_fused_ax3_fused] = T.Cast("int8", T.max(T.min(T.Cast("int32", T.round((T.float32(0.05) * T.Cast("float32", T.Cast("int32", p0[ax0_ax1_fused_ax2_fused_ax3_fused]) + 3) + T.float32(0.02) * T.Cast("float32", T.Cast("int32", p1[ax0_ax1_fused_ax2_fused_ax3_fused]) - 7)) * T.float32(16))) - 4, 127), -128))

    # Four pixels; the positions are computed with floats.
    # CHECK-LABEL: def tvmgen_default_fused_resize2d_bilinear(
    # CHECK-NEXT: "tenon.op": {"kind": "elementwise"
    @T.prim_func(private=True)
    def tvmgen_default_fused_resize2d_bilinear(p0: T.Buffer((64,), "float32"), resize: T.Buffer((144,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for i0_i1_fused_i2_fused_i3_fused in range(144):
            cse_var_1: T.int32 = i0_i1_fused_i2_fused_i3_fused % 4
            cse_var_2: T.float32 = (T.Cast("float32", i0_i1_fused_i2_fused_i3_fused // 24) + T.float32(0.5)) * T.float32(0.66666668653488159) - T.float32(0.5)
            cse_var_3: T.float32 = (T.Cast("float32", i0_i1_fused_i2_fused_i3_fused % 24 // 4) + T.float32(0.5)) * T.float32(0.66666668653488159) - T.float32(0.5)
            cse_var_4: T.int32 = T.Cast("int32", T.floor(cse_var_2))
            cse_var_5: T.int32 = T.Cast("int32", T.floor(cse_var_3))
            cse_var_6: T.float32 = cse_var_2 - T.floor(cse_var_2)
            cse_var_7: T.float32 = cse_var_3 - T.floor(cse_var_3)
            resize[i0_i1_fused_i2_fused_i3_fused] = (p0[T.max(T.min(cse_var_4, 3), 0) * 16 + T.max(T.min(cse_var_5, 3), 0) * 4 + cse_var_1] * (T.float32(1) - cse_var_7) + p0[T.max(T.min(cse_var_4, 3), 0) * 16 + T.max(T.min(cse_var_5 + 1, 3), 0) * 4 + cse_var_1] * cse_var_7) * (T.float32(1) - cse_var_6) + (p0[T.max(T.min(cse_var_4 + 1, 3), 0) * 16 + T.max(T.min(cse_var_5, 3), 0) * 4 + cse_var_1] * (T.float32(1) - cse_var_7) + p0[T.max(T.min(cse_var_4 + 1, 3), 0) * 16 + T.max(T.min(cse_var_5 + 1, 3), 0) * 4 + cse_var_1] * cse_var_7) * cse_var_6

    # The scale is not an integer: the positions are computed with floats.
    # CHECK-LABEL: def tvmgen_default_fused_resize2d_nearest(
    # CHECK-NEXT: "tenon.op": {"kind": "layout"
    @T.prim_func(private=True)
    def tvmgen_default_fused_resize2d_nearest(p0: T.Buffer((100,), "float32"), resize: T.Buffer((256,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for i0_i1_fused_i2_fused_i3_fused in range(256):
            resize[i0_i1_fused_i2_fused_i3_fused] = p0[T.max(T.min(T.Cast("int32", T.floor(T.float32(0.625) * T.Cast("float32", i0_i1_fused_i2_fused_i3_fused // 32) + T.float32(1.0000000000000001e-05))), 4), 0) * 20 + T.max(T.min(T.Cast("int32", T.floor(T.float32(0.625) * T.Cast("float32", i0_i1_fused_i2_fused_i3_fused % 32 // 4) + T.float32(1.0000000000000001e-05))), 4), 0) * 4 + i0_i1_fused_i2_fused_i3_fused % 4]

    # CHECK-LABEL: def tvmgen_default_fused_reverse(
    # CHECK-NEXT: "tenon.op": {"kind": "layout"
    @T.prim_func(private=True)
    def tvmgen_default_fused_reverse(p0: T.Buffer((112,), "float32"), T_reverse_sequence: T.Buffer((112,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for ax0, ax1 in T.grid(7, 16):
            T_reverse_sequence[ax0 * 16 + ax1] = p0[(6 - ax0) * 16 + ax1]

    # CHECK-LABEL: def tvmgen_default_fused_sequence_mask(
    # CHECK-NEXT: "tenon.op": {"kind": "elementwise"
    @T.prim_func(private=True)
    def tvmgen_default_fused_sequence_mask(p0: T.Buffer((160,), "float32"), p1: T.Buffer((16,), "int32"), compute: T.Buffer((160,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for i0, i1 in T.grid(10, 16):
            compute[i0 * 16 + i1] = T.if_then_else(p1[i1] <= i0, T.float32(0), p0[i0 * 16 + i1])

    # CHECK-LABEL: def tvmgen_default_fused_silu(
    # CHECK-NEXT: "tenon.op": {"kind": "elementwise"
    @T.prim_func(private=True)
    def tvmgen_default_fused_silu(p0: T.Buffer((784,), "float32"), T_multiply: T.Buffer((784,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        compute = T.allocate([784], "float32", "global.workspace")
        compute_1 = T.Buffer((784,), data=compute)
        for i0_i1_fused_i2_fused_i3_fused in range(784):
            compute_1[i0_i1_fused_i2_fused_i3_fused] = T.sigmoid(p0[i0_i1_fused_i2_fused_i3_fused])
        for ax0_ax1_fused_ax2_fused_ax3_fused in range(784):
            T_multiply[ax0_ax1_fused_ax2_fused_ax3_fused] = p0[ax0_ax1_fused_ax2_fused_ax3_fused] * compute_1[ax0_ax1_fused_ax2_fused_ax3_fused]

    # Queries, keys and values.
    # CHECK-LABEL: def tvmgen_default_fused_split(
    # CHECK-NEXT: "tenon.op": {"kind": "layout"
    @T.prim_func(private=True)
    def tvmgen_default_fused_split(p0: T.Buffer((768,), "float32"), T_split_sections: T.Buffer((256,), "float32"), T_split_sections_1: T.Buffer((256,), "float32"), T_split_sections_2: T.Buffer((256,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for ax0_ax1_fused in range(256):
            T_split_sections[ax0_ax1_fused] = p0[ax0_ax1_fused // 16 * 48 + ax0_ax1_fused % 16]
        for ax0_ax1_fused in range(256):
            T_split_sections_1[ax0_ax1_fused] = p0[ax0_ax1_fused // 16 * 48 + ax0_ax1_fused % 16 + 16]
        for ax0_ax1_fused in range(256):
            T_split_sections_2[ax0_ax1_fused] = p0[ax0_ax1_fused // 16 * 48 + ax0_ax1_fused % 16 + 32]

    # CHECK-LABEL: def tvmgen_default_fused_stack(
    # CHECK-NEXT: "tenon.op": {"kind": "concatenate"
    @T.prim_func(private=True)
    def tvmgen_default_fused_stack(p0: T.Buffer((64,), "float32"), p1: T.Buffer((64,), "float32"), p2: T.Buffer((64,), "float32"), T_stack: T.Buffer((192,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for ax0_ax1_fused in range(192):
            T_stack[ax0_ax1_fused] = T.if_then_else(ax0_ax1_fused // 64 == 2, p2[ax0_ax1_fused - 128], T.if_then_else(ax0_ax1_fused // 64 == 1, p1[ax0_ax1_fused - 64], p0[ax0_ax1_fused]))

    # CHECK-LABEL: def tvmgen_default_fused_strided_slice_NHWC(
    # CHECK-NEXT: "tenon.op": {"kind": "layout"
    @T.prim_func(private=True)
    def tvmgen_default_fused_strided_slice_NHWC(p0: T.Buffer((784,), "float32"), T_strided_slice: T.Buffer((192,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for ax0_ax1_fused_ax2_fused_ax3_fused in range(192):
            T_strided_slice[ax0_ax1_fused_ax2_fused_ax3_fused] = p0[ax0_ax1_fused_ax2_fused_ax3_fused // 48 * 224 + ax0_ax1_fused_ax2_fused_ax3_fused % 48 // 16 * 32 + ax0_ax1_fused_ax2_fused_ax3_fused % 16 + 16]

    # Along the last axis; negative indices count from its end.
    # CHECK-LABEL: def tvmgen_default_fused_take_wrap(
    # CHECK-NEXT: "tenon.op": {"kind": "take"
    @T.prim_func(private=True)
    def tvmgen_default_fused_take_wrap(p0: T.Buffer((320,), "float32"), p1: T.Buffer((8,), "int32"), T_take: T.Buffer((80,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for ax0_ax1_fused in range(80):
            T_take[ax0_ax1_fused] = p0[ax0_ax1_fused // 8 * 32 + (p1[ax0_ax1_fused % 8] % 32 + 32) % 32]

    # CHECK-LABEL: def tvmgen_default_fused_tile(
    # CHECK-NEXT: "tenon.op": {"kind": "layout"
    @T.prim_func(private=True)
    def tvmgen_default_fused_tile(p0: T.Buffer((64,), "float32"), T_tile: T.Buffer((384,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for ax0_ax1_fused_ax2_fused in range(384):
            T_tile[ax0_ax1_fused_ax2_fused] = p0[ax0_ax1_fused_ax2_fused // 48 % 4 * 16 + ax0_ax1_fused_ax2_fused % 16]

    # CHECK-LABEL: def tvmgen_default_fused_where(
    # CHECK-NEXT: "tenon.op": {"kind": "elementwise"
    @T.prim_func(private=True)
    def tvmgen_default_fused_where(p0: T.Buffer((784,), "int8"), p1: T.Buffer((784,), "float32"), p2: T.Buffer((784,), "float32"), T_where: T.Buffer((784,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for ax0_ax1_fused_ax2_fused_ax3_fused in range(784):
            T_where[ax0_ax1_fused_ax2_fused_ax3_fused] = T.Select(p0[ax0_ax1_fused_ax2_fused_ax3_fused] != T.int8(0), p1[ax0_ax1_fused_ax2_fused_ax3_fused], p2[ax0_ax1_fused_ax2_fused_ax3_fused])

    @T.prim_func
    def main():
        T.evaluate(0)
