# Operators of networks that are not in the corpus, as TVM prints them: fused loops, indices with
# divisions, intermediates in the body. A unit test compares all claims with the bodies.
# RUN: tenon-opt --pipeline=recognise-ops --verify-roundtrip %s | FileCheck %s

# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    # x * clip(x + 3, 0, 6) / 6
    # CHECK-LABEL: def tvmgen_default_fused_add_clip_divide_multiply(
    # CHECK-NEXT: "tenon.op": {"kind": "elementwise"
    @T.prim_func(private=True)
    def tvmgen_default_fused_add_clip_divide_multiply(p0: T.Buffer((784,), "float32"), T_multiply: T.Buffer((784,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        compute = T.allocate([784], "float32", "global.workspace")
        compute_1 = T.Buffer((784,), data=compute)
        for i0_i1_i2_i3_fused in range(784):
            compute_1[i0_i1_i2_i3_fused] = T.max(T.min(p0[i0_i1_i2_i3_fused] + T.float32(3), T.float32(6)), T.float32(0))
        for ax0_ax1_ax2_ax3_fused in range(784):
            T_multiply[ax0_ax1_ax2_ax3_fused] = p0[ax0_ax1_ax2_ax3_fused] * (compute_1[ax0_ax1_ax2_ax3_fused] / T.float32(6))

    # gelu by the error function, after a bias.
    # CHECK-LABEL: def tvmgen_default_fused_add_multiply_erf(
    # CHECK-NEXT: "tenon.op": {"kind": "elementwise"
    @T.prim_func(private=True)
    def tvmgen_default_fused_add_multiply_erf(p0: T.Buffer((1024,), "float32"), p1: T.Buffer((64,), "float32"), T_multiply: T.Buffer((1024,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        T_add = T.allocate([64], "float32", "global.workspace")
        T_add_1 = T.Buffer((64,), data=T_add)
        for ax0_ax1_fused in T.parallel(16):
            for ax2 in range(64):
                T_add_1[ax2] = p0[ax0_ax1_fused * 64 + ax2] + p1[ax2]
            for ax2 in range(64):
                T_multiply[ax0_ax1_fused * 64 + ax2] = T_add_1[ax2] * (T.float32(0.5) + T.erf(T_add_1[ax2] * T.float32(0.70710678118654757)) * T.float32(0.5))

    # The index of the largest element, as in TVM: index and value together.
    # CHECK-LABEL: def tvmgen_default_fused_argmax(
    # CHECK-NEXT: "tenon.op": {"kind": "argmax"
    @T.prim_func(private=True)
    def tvmgen_default_fused_argmax(p0: T.Buffer((160,), "float32"), p0_red: T.Buffer((16,), "int32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        p0_red_temp_v0 = T.allocate([16], "int32", "global.workspace")
        p0_red_temp_v1 = T.allocate([16], "float32", "global.workspace")
        v0 = T.Buffer((16,), "int32", data=p0_red_temp_v0)
        v1 = T.Buffer((16,), data=p0_red_temp_v1)
        for ax0 in range(16):
            v0[ax0] = -1
            v1[ax0] = T.float32(-3.4028234663852886e+38)
            for k1 in range(10):
                v_p0_red_temp_v0: T.int32 = T.Select(p0[ax0 * 10 + k1] < v1[ax0] or (v1[ax0] == p0[ax0 * 10 + k1] and v0[ax0] < k1), v0[ax0], k1)
                v_p0_red_temp_v1: T.float32 = T.Select(p0[ax0 * 10 + k1] < v1[ax0], v1[ax0], p0[ax0 * 10 + k1])
                v0[ax0] = v_p0_red_temp_v0
                v1[ax0] = v_p0_red_temp_v1
        for ax0 in range(16):
            p0_red[ax0] = v0[ax0]

    # The concatenation of the two branches of a squeeze module.
    # CHECK-LABEL: def tvmgen_default_fused_concatenate(
    # CHECK-NEXT: "tenon.op": {"kind": "concatenate"
    @T.prim_func(private=True)
    def tvmgen_default_fused_concatenate(p0: T.Buffer((784,), "float32"), p1: T.Buffer((784,), "float32"), T_concat: T.Buffer((1568,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for ax0_ax1_fused_ax2_fused in T.parallel(224):
            for ax3 in range(7):
                T_concat[ax0_ax1_fused_ax2_fused * 7 + ax3] = T.if_then_else(112 <= ax0_ax1_fused_ax2_fused, p1[ax0_ax1_fused_ax2_fused * 7 + ax3 - 784], p0[ax0_ax1_fused_ax2_fused * 7 + ax3])

    # Scaled, masked and summed, with a bias for only some rows.
    # CHECK-LABEL: def tvmgen_default_fused_divide_add_where(
    # CHECK-NEXT: "tenon.op": {"kind": "elementwise"
    @T.prim_func(private=True)
    def tvmgen_default_fused_divide_add_where(p0: T.Buffer((512,), "float32"), p1: T.Buffer((16,), "int32"), T_where: T.Buffer((512,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for ax0_ax1_fused_ax2_fused in T.parallel(32):
            for ax3 in range(16):
                T_where[ax0_ax1_fused_ax2_fused * 16 + ax3] = T.Select(p1[ax3] != 0, p0[ax0_ax1_fused_ax2_fused * 16 + ax3] / T.float32(5.656854249492381), T.float32(-10000))

    # CHECK-LABEL: def tvmgen_default_fused_layer_norm_tail(
    # CHECK-NEXT: "tenon.op": {"kind": "elementwise"
    @T.prim_func(private=True)
    def tvmgen_default_fused_layer_norm_tail(p0: T.Buffer((1024,), "float32"), p1: T.Buffer((16,), "float32"), p2: T.Buffer((16,), "float32"), p3: T.Buffer((64,), "float32"), p4: T.Buffer((64,), "float32"), T_add: T.Buffer((1024,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for ax0_ax1_fused in T.parallel(16):
            for ax2_outer in range(4):
                for ax2_inner in range(16):
                    T_add[ax0_ax1_fused * 64 + ax2_outer * 16 + ax2_inner] = (p0[ax0_ax1_fused * 64 + ax2_outer * 16 + ax2_inner] - p1[ax0_ax1_fused]) * T.rsqrt(p2[ax0_ax1_fused] + T.float32(9.9999999999999998e-13)) * p3[ax2_outer * 16 + ax2_inner] + p4[ax2_outer * 16 + ax2_inner]

    # CHECK-LABEL: def tvmgen_default_fused_mean(
    # CHECK-NEXT: "tenon.op": {"kind": "reduce"
    @T.prim_func(private=True)
    def tvmgen_default_fused_mean(p0: T.Buffer((1024,), "float32"), T_divide: T.Buffer((16,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        p0_red = T.allocate([16], "float32", "global.workspace")
        p0_red_1 = T.Buffer((16,), data=p0_red)
        for ax0 in range(16):
            p0_red_1[ax0] = T.float32(0)
            for k2 in range(64):
                p0_red_1[ax0] = p0_red_1[ax0] + p0[ax0 * 64 + k2]
        for ax0 in range(16):
            T_divide[ax0] = p0_red_1[ax0] / T.float32(64)

    # The mean, the variance and the rest as three stages.
    # CHECK-LABEL: def tvmgen_default_fused_mean_variance_normalise(
    # CHECK-NEXT: "tenon.op": {"kind": "reduce"
    @T.prim_func(private=True)
    def tvmgen_default_fused_mean_variance_normalise(p0: T.Buffer((1024,), "float32"), T_divide: T.Buffer((1024,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        red = T.allocate([16], "float32", "global.workspace")
        red_1 = T.Buffer((16,), data=red)
        var = T.allocate([16], "float32", "global.workspace")
        var_1 = T.Buffer((16,), data=var)
        for ax0 in range(16):
            red_1[ax0] = T.float32(0)
            for k1 in range(64):
                red_1[ax0] = red_1[ax0] + p0[ax0 * 64 + k1]
        for ax0 in range(16):
            red_1[ax0] = red_1[ax0] / T.float32(64)
        for ax0 in range(16):
            var_1[ax0] = T.float32(0)
            for k1 in range(64):
                var_1[ax0] = var_1[ax0] + (p0[ax0 * 64 + k1] - red_1[ax0]) * (p0[ax0 * 64 + k1] - red_1[ax0])
        for ax0, ax1 in T.grid(16, 64):
            T_divide[ax0 * 64 + ax1] = (p0[ax0 * 64 + ax1] - red_1[ax0]) / T.sqrt(var_1[ax0] / T.float32(64) + T.float32(1.0000000000000001e-05))

    # An average over the elements inside the image.
    # CHECK-LABEL: def tvmgen_default_fused_nn_avg_pool2d(
    # CHECK-NEXT: "tenon.op": {"kind": "avg_pool"
    @T.prim_func(private=True)
    def tvmgen_default_fused_nn_avg_pool2d(p0: T.Buffer((2352,), "float32"), pool_avg: T.Buffer((588,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for ax0_ax1_fused in T.parallel(12):
            pool_sum = T.allocate([49], "float32", "global.workspace")
            pool_sum_1 = T.Buffer((49,), data=pool_sum)
            for ax2 in range(7):
                for ax3 in range(7):
                    pool_sum_1[ax2 * 7 + ax3] = T.float32(0)
                    for rv0_rv1_fused in range(9):
                        pool_sum_1[ax2 * 7 + ax3] = pool_sum_1[ax2 * 7 + ax3] + T.if_then_else(1 <= rv0_rv1_fused // 3 + ax2 * 2 and 1 <= ax3 * 2 + rv0_rv1_fused % 3, p0[ax0_ax1_fused * 196 + ax2 * 28 + rv0_rv1_fused // 3 * 14 + ax3 * 2 + rv0_rv1_fused % 3 - 15], T.float32(0))
            for ax2 in range(7):
                for ax3 in range(7):
                    pool_avg[ax0_ax1_fused * 49 + ax2 * 7 + ax3] = pool_sum_1[ax2 * 7 + ax3] / T.Cast("float32", T.max((T.min(1, 13 - ax2 * 2) + 2 - T.max(1 - ax2 * 2, 0)) * (T.min(1, 13 - ax3 * 2) + 2 - T.max(1 - ax3 * 2, 0)), 1))

    # Attention: scores of two heads.
    # CHECK-LABEL: def tvmgen_default_fused_nn_batch_matmul(
    # CHECK-NEXT: "tenon.op": {"kind": "matmul"{{.*}}"macs": 16384
    @T.prim_func(private=True)
    def tvmgen_default_fused_nn_batch_matmul(p0: T.Buffer((1024,), "float32"), p1: T.Buffer((1024,), "float32"), T_batch_matmul_NT: T.Buffer((512,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for b_i_outer_fused_j_outer_fused in T.parallel(4):
            T_batch_matmul_NT_global = T.allocate([128], "float32", "global.workspace")
            T_batch_matmul_NT_global_1 = T.Buffer((128,), data=T_batch_matmul_NT_global)
            for i_c_init, j_c_init in T.grid(16, 8):
                T_batch_matmul_NT_global_1[i_c_init * 8 + j_c_init] = T.float32(0)
            for k_outer, i_c, k_inner, j_c in T.grid(8, 16, 4, 8):
                T_batch_matmul_NT_global_1[i_c * 8 + j_c] = T_batch_matmul_NT_global_1[i_c * 8 + j_c] + p0[b_i_outer_fused_j_outer_fused // 2 * 512 + i_c * 32 + k_outer * 4 + k_inner] * p1[b_i_outer_fused_j_outer_fused // 2 * 512 + b_i_outer_fused_j_outer_fused % 2 * 256 + j_c * 32 + k_outer * 4 + k_inner]
            for i_inner, j_inner in T.grid(16, 8):
                T_batch_matmul_NT[b_i_outer_fused_j_outer_fused // 2 * 256 + i_inner * 16 + b_i_outer_fused_j_outer_fused % 2 * 8 + j_inner] = T_batch_matmul_NT_global_1[i_inner * 8 + j_inner]

    # Reshaped and added to the values of another head, like the context of attention.
    # CHECK-LABEL: def tvmgen_default_fused_nn_batch_matmul_1(
    # CHECK-NEXT: "tenon.op": {"kind": "matmul"{{.*}}"macs": 16384
    @T.prim_func(private=True)
    def tvmgen_default_fused_nn_batch_matmul_1(p0: T.Buffer((512,), "float32"), p1: T.Buffer((1024,), "float32"), T_reshape: T.Buffer((1024,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        T_batch_matmul_NT = T.allocate([1024], "float32", "global.workspace")
        T_batch_matmul_NT_1 = T.Buffer((1024,), data=T_batch_matmul_NT)
        for b, i, j in T.grid(2, 16, 32):
            T_batch_matmul_NT_1[b * 512 + i * 32 + j] = T.float32(0)
            for k in range(16):
                T_batch_matmul_NT_1[b * 512 + i * 32 + j] = T_batch_matmul_NT_1[b * 512 + i * 32 + j] + p0[b * 256 + i * 16 + k] * p1[b * 512 + j * 16 + k]
        for ax0_ax1_fused in range(1024):
            T_reshape[ax0_ax1_fused] = T_batch_matmul_NT_1[ax0_ax1_fused % 64 // 32 * 512 + ax0_ax1_fused // 64 * 32 + ax0_ax1_fused % 32]

    # A batch normalization that is not folded into a convolution.
    # CHECK-LABEL: def tvmgen_default_fused_nn_batch_norm(
    # CHECK-NEXT: "tenon.op": {"kind": "elementwise"
    @T.prim_func(private=True)
    def tvmgen_default_fused_nn_batch_norm(p0: T.Buffer((784,), "float32"), p1: T.Buffer((16,), "float32"), p2: T.Buffer((16,), "float32"), p3: T.Buffer((16,), "float32"), p4: T.Buffer((16,), "float32"), T_add: T.Buffer((784,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        T_reshape = T.allocate([16], "float32", "global.workspace")
        T_subtract = T.allocate([784], "float32", "global.workspace")
        compute = T.allocate([16], "float32", "global.workspace")
        T_subtract_1 = T.Buffer((784,), data=T_subtract)
        T_reshape_1 = T.Buffer((16,), data=T_reshape)
        compute_1 = T.Buffer((16,), data=compute)
        for ax1 in range(16):
            T_reshape_1[ax1] = p3[ax1]
        for ax1, ax2, ax3 in T.grid(16, 7, 7):
            cse_var_1: T.int32 = ax1 * 49 + ax2 * 7 + ax3
            T_subtract_1[cse_var_1] = p0[cse_var_1] - T_reshape_1[ax1]
        for i1 in range(16):
            compute_1[i1] = T.sqrt(p4[i1] + T.float32(1.0000000000000001e-05))
        for ax1, ax2, ax3 in T.grid(16, 7, 7):
            cse_var_2: T.int32 = ax1 * 49 + ax2 * 7 + ax3
            T_add[cse_var_2] = T_subtract_1[cse_var_2] / compute_1[ax1] * p1[ax1] + p2[ax1]

    # A convolution in blocks of four channels with two unrolled outputs.
    # CHECK-LABEL: def tvmgen_default_fused_nn_contrib_conv2d_NCHWc_add(
    # CHECK-NEXT: "tenon.op": {"kind": "conv2d"{{.*}}"kernel": [3, 3]
    @T.prim_func(private=True)
    def tvmgen_default_fused_nn_contrib_conv2d_NCHWc_add(p0: T.Buffer((512,), "float32"), p1: T.Buffer((576,), "float32"), p2: T.Buffer((8,), "float32"), T_add: T.Buffer((288,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for n_oc_chunk_fused_oh_fused in T.parallel(12):
            conv2d_NCHWc_global = T.allocate([24], "float32", "global.workspace")
            g = T.Buffer((24,), data=conv2d_NCHWc_global)
            for ow_outer in range(3):
                for oc_block_init in range(4):
                    g[ow_outer * 8 + oc_block_init] = T.float32(0)
                    g[ow_outer * 8 + oc_block_init + 4] = T.float32(0)
                for ic_outer, kh, kw, ic_inner, oc_block in T.grid(2, 3, 3, 4, 4):
                    g[ow_outer * 8 + oc_block] = g[ow_outer * 8 + oc_block] + p0[ic_outer * 256 + n_oc_chunk_fused_oh_fused % 6 * 32 + kh * 32 + ow_outer * 8 + kw * 4 + ic_inner] * p1[n_oc_chunk_fused_oh_fused // 6 * 288 + ic_outer * 144 + kh * 48 + kw * 16 + ic_inner * 4 + oc_block]
                    g[ow_outer * 8 + oc_block + 4] = g[ow_outer * 8 + oc_block + 4] + p0[ic_outer * 256 + n_oc_chunk_fused_oh_fused % 6 * 32 + kh * 32 + ow_outer * 8 + kw * 4 + ic_inner + 4] * p1[n_oc_chunk_fused_oh_fused // 6 * 288 + ic_outer * 144 + kh * 48 + kw * 16 + ic_inner * 4 + oc_block]
            for ow_outer, oc_block in T.grid(3, 4):
                T_add[n_oc_chunk_fused_oh_fused * 24 + ow_outer * 8 + oc_block] = g[ow_outer * 8 + oc_block] + p2[n_oc_chunk_fused_oh_fused // 6 * 4 + oc_block]
                T_add[n_oc_chunk_fused_oh_fused * 24 + ow_outer * 8 + oc_block + 4] = g[ow_outer * 8 + oc_block + 4] + p2[n_oc_chunk_fused_oh_fused // 6 * 4 + oc_block]

    # A dense operator whose weights are packed in columns of eight.
    # CHECK-LABEL: def tvmgen_default_fused_nn_contrib_dense_pack_add_nn_relu(
    # CHECK-NEXT: "tenon.op": {"kind": "dense"{{.*}}"macs": 2048
    @T.prim_func(private=True)
    def tvmgen_default_fused_nn_contrib_dense_pack_add_nn_relu(p0: T.Buffer((64,), "float32"), p1: T.Buffer((2048,), "float32"), p2: T.Buffer((32,), "float32"), T_relu: T.Buffer((32,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for ax1_outer_ax0_outer_fused in T.parallel(2):
            compute = T.allocate([16], "float32", "global.workspace")
            compute_global = T.allocate([8], "float32", "global.workspace")
            compute_1 = T.Buffer((16,), data=compute)
            compute_global_1 = T.Buffer((8,), data=compute_global)
            for y_inner_outer_x_inner_outer_fused in range(2):
                for x_c_init in range(8):
                    compute_global_1[x_c_init] = T.float32(0)
                for k_outer in range(64):
                    for x_c in range(8):
                        compute_global_1[x_c] = compute_global_1[x_c] + p0[k_outer] * p1[ax1_outer_ax0_outer_fused * 1024 + y_inner_outer_x_inner_outer_fused * 512 + k_outer * 8 + x_c]
                for x_inner_inner in range(8):
                    compute_1[y_inner_outer_x_inner_outer_fused * 8 + x_inner_inner] = compute_global_1[x_inner_inner]
            for ax1_inner_outer, ax1_inner_inner in T.grid(2, 8):
                T_relu[ax1_outer_ax0_outer_fused * 16 + ax1_inner_outer * 8 + ax1_inner_inner] = T.max(compute_1[ax1_inner_outer * 8 + ax1_inner_inner] + p2[ax1_outer_ax0_outer_fused * 16 + ax1_inner_outer * 8 + ax1_inner_inner], T.float32(0))

    # A depthwise convolution of channels in blocks of four, with a bias and a relu.
    # CHECK-LABEL: def tvmgen_default_fused_nn_contrib_depthwise_conv2d_NCHWc_add_nn_relu(
    # CHECK-NEXT: "tenon.op": {"kind": "depthwise_conv2d"{{.*}}"pad_after": [1, 1], "pad_before": [1, 1]
    @T.prim_func(private=True)
    def tvmgen_default_fused_nn_contrib_depthwise_conv2d_NCHWc_add_nn_relu(p0: T.Buffer((784,), "float32"), p1: T.Buffer((144,), "float32"), p2: T.Buffer((16,), "float32"), T_relu: T.Buffer((784,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for n_c_outer_fused_h_fused in T.parallel(28):
            data_vec = T.allocate([108], "float32", "global.workspace")
            data_vec_1 = T.Buffer((108,), data=data_vec)
            DepthwiseConv2d = T.allocate([28], "float32", "global.workspace")
            DepthwiseConv2d_1 = T.Buffer((28,), data=DepthwiseConv2d)
            for h, w, c in T.grid(3, 9, 4):
                data_vec_1[h * 36 + w * 4 + c] = T.if_then_else(1 <= n_c_outer_fused_h_fused % 7 + h and n_c_outer_fused_h_fused % 7 + h < 8 and 1 <= w and w < 8, p0[n_c_outer_fused_h_fused // 7 * 196 + n_c_outer_fused_h_fused % 7 * 28 + h * 28 + w * 4 + c - 32], T.float32(0))
            for ow_init in range(7):
                for oc_block_init in range(4):
                    DepthwiseConv2d_1[ow_init * 4 + oc_block_init] = T.float32(0)
            for kh, kw, ow, oc_block in T.grid(3, 3, 7, 4):
                DepthwiseConv2d_1[ow * 4 + oc_block] = DepthwiseConv2d_1[ow * 4 + oc_block] + data_vec_1[kh * 36 + ow * 4 + kw * 4 + oc_block] * p1[n_c_outer_fused_h_fused // 7 * 36 + kh * 12 + kw * 4 + oc_block]
            for ow, oc_block in T.grid(7, 4):
                T_relu[n_c_outer_fused_h_fused * 28 + ow * 4 + oc_block] = T.max(DepthwiseConv2d_1[ow * 4 + oc_block] + p2[n_c_outer_fused_h_fused // 7 * 4 + oc_block], T.float32(0))

    # CHECK-LABEL: def tvmgen_default_fused_nn_conv1d(
    # CHECK-NEXT: "tenon.op": {"kind": "conv1d"
    @T.prim_func(private=True)
    def tvmgen_default_fused_nn_conv1d(p0: T.Buffer((64,), "float32"), p1: T.Buffer((96,), "float32"), conv1d_ncw: T.Buffer((128,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        pad_temp = T.allocate([72], "float32", "global.workspace")
        pad_temp_1 = T.Buffer((72,), data=pad_temp)
        for i1, i2 in T.grid(4, 18):
            pad_temp_1[i1 * 18 + i2] = T.if_then_else(1 <= i2 and i2 < 17, p0[i1 * 16 + i2 - 1], T.float32(0))
        for ff, yy in T.grid(8, 16):
            conv1d_ncw[ff * 16 + yy] = T.float32(0)
            for rc, ry in T.grid(4, 3):
                conv1d_ncw[ff * 16 + yy] = conv1d_ncw[ff * 16 + yy] + pad_temp_1[rc * 18 + yy + ry] * p1[ff * 12 + rc * 3 + ry]

    # A transposed convolution: dilated, padded, with a flipped kernel.
    # CHECK-LABEL: def tvmgen_default_fused_nn_conv2d_transpose(
    # CHECK-NEXT: "tenon.op": {"kind": "conv2d_transpose"
    @T.prim_func(private=True)
    def tvmgen_default_fused_nn_conv2d_transpose(p0: T.Buffer((64,), "float32"), p1: T.Buffer((288,), "float32"), compute: T.Buffer((512,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        data_dilate = T.allocate([196], "float32", "global.workspace")
        data_pad = T.allocate([400], "float32", "global.workspace")
        kernel_transform = T.allocate([288], "float32", "global.workspace")
        data_dilate_1 = T.Buffer((196,), data=data_dilate)
        data_pad_1 = T.Buffer((400,), data=data_pad)
        kernel_transform_1 = T.Buffer((288,), data=kernel_transform)
        for i1, i2, i3 in T.grid(4, 7, 7):
            data_dilate_1[i1 * 49 + i2 * 7 + i3] = T.if_then_else(i2 % 2 == 0 and i3 % 2 == 0, p0[i1 * 16 + i2 // 2 * 4 + i3 // 2], T.float32(0))
        for i1, i2, i3 in T.grid(4, 10, 10):
            data_pad_1[i1 * 100 + i2 * 10 + i3] = T.if_then_else(1 <= i2 and i2 < 8 and 1 <= i3 and i3 < 8, data_dilate_1[i1 * 49 + i2 * 7 + i3 - 8], T.float32(0))
        for o, i, h, w in T.grid(8, 4, 3, 3):
            kernel_transform_1[o * 36 + i * 9 + h * 3 + w] = p1[i * 72 + o * 9 + 8 - h * 3 - w]
        for c, h, w in T.grid(8, 8, 8):
            compute[c * 64 + h * 8 + w] = T.float32(0)
            for dc, dh, dw in T.grid(4, 3, 3):
                compute[c * 64 + h * 8 + w] = compute[c * 64 + h * 8 + w] + data_pad_1[dc * 100 + h * 10 + dh * 10 + w + dw] * kernel_transform_1[c * 36 + dc * 9 + dh * 3 + dw]

    # fast_softmax: exp as a polynomial and a shift of bits.
    # CHECK-LABEL: def tvmgen_default_fused_nn_fast_softmax(
    # CHECK-NEXT: "tenon.op": {"kind": "softmax"
    @T.prim_func(private=True)
    def tvmgen_default_fused_nn_fast_softmax(p0: T.Buffer((512,), "float32"), T_softmax_norm: T.Buffer((512,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for i0_i1_fused_i2_fused in T.parallel(32):
            T_softmax_maxelem = T.allocate([1], "float32", "global.workspace")
            T_softmax_delta = T.allocate([16], "float32", "global.workspace")
            T_softmax_expsum = T.allocate([1], "float32", "global.workspace")
            T_softmax_maxelem_1 = T.Buffer((1,), data=T_softmax_maxelem)
            T_softmax_delta_1 = T.Buffer((16,), data=T_softmax_delta)
            T_softmax_expsum_1 = T.Buffer((1,), data=T_softmax_expsum)
            T_softmax_maxelem_1[0] = T.float32(-3.4028234663852886e+38)
            for k in range(16):
                T_softmax_maxelem_1[0] = T.max(T_softmax_maxelem_1[0], p0[i0_i1_fused_i2_fused * 16 + k])
            for i3 in range(16):
                T_softmax_delta_1[i3] = p0[i0_i1_fused_i2_fused * 16 + i3] - T_softmax_maxelem_1[0]
            for i3 in range(16):
                T_softmax_delta_1[i3] = T.max(T.reinterpret("float32", T.Cast("int32", T.floor(T.max(T.min(T_softmax_delta_1[i3], T.float32(88.37626265)), T.float32(-88.37626265)) * T.float32(1.4426950408889634) + T.float32(0.5))) * 8388608 + 1065353216) * (T.float32(1) + T_softmax_delta_1[i3] * T.float32(0.5)), T.exp(T_softmax_delta_1[i3]))
            T_softmax_expsum_1[0] = T.float32(0)
            for k in range(16):
                T_softmax_expsum_1[0] = T_softmax_expsum_1[0] + T_softmax_delta_1[k]
            for i3 in range(16):
                T_softmax_norm[i0_i1_fused_i2_fused * 16 + i3] = T_softmax_delta_1[i3] / T_softmax_expsum_1[0]

    # CHECK-LABEL: def tvmgen_default_fused_nn_global_avg_pool2d(
    # CHECK-NEXT: "tenon.op": {"kind": "reduce"
    @T.prim_func(private=True)
    def tvmgen_default_fused_nn_global_avg_pool2d(p0: T.Buffer((784,), "float32"), adaptive_pool_avg: T.Buffer((16,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        adaptive_pool_sum = T.allocate([16], "float32", "global.workspace")
        adaptive_pool_sum_1 = T.Buffer((16,), data=adaptive_pool_sum)
        for ax1 in range(16):
            adaptive_pool_sum_1[ax1] = T.float32(0)
            for rv0, rv1 in T.grid(7, 7):
                adaptive_pool_sum_1[ax1] = adaptive_pool_sum_1[ax1] + p0[ax1 * 49 + rv0 * 7 + rv1]
        for ax1 in range(16):
            adaptive_pool_avg[ax1] = adaptive_pool_sum_1[ax1] * T.float32(0.020408163265306121)

    # CHECK-LABEL: def tvmgen_default_fused_nn_global_max_pool2d(
    # CHECK-NEXT: "tenon.op": {"kind": "{{max_pool|reduce}}"
    @T.prim_func(private=True)
    def tvmgen_default_fused_nn_global_max_pool2d(p0: T.Buffer((784,), "float32"), adaptive_pool_max: T.Buffer((16,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for ax1 in range(16):
            adaptive_pool_max[ax1] = T.float32(-3.4028234663852886e+38)
            for rv0_rv1_fused in range(49):
                adaptive_pool_max[ax1] = T.max(adaptive_pool_max[ax1], p0[ax1 * 49 + rv0_rv1_fused])

    # CHECK-LABEL: def tvmgen_default_fused_nn_l2_normalize(
    # CHECK-NEXT: "tenon.op": {"kind": "reduce"
    @T.prim_func(private=True)
    def tvmgen_default_fused_nn_l2_normalize(p0: T.Buffer((1024,), "float32"), compute: T.Buffer((1024,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        p0_red = T.allocate([16], "float32", "global.workspace")
        p0_red_1 = T.Buffer((16,), data=p0_red)
        for ax0 in range(16):
            p0_red_1[ax0] = T.float32(0)
            for k1 in range(64):
                p0_red_1[ax0] = p0_red_1[ax0] + p0[ax0 * 64 + k1] * p0[ax0 * 64 + k1]
        for i0, i1 in T.grid(16, 64):
            compute[i0 * 64 + i1] = p0[i0 * 64 + i1] / T.sqrt(T.max(p0_red_1[i0], T.float32(9.9999999999999998e-13)))

    # A whole layer normalization in one function.
    # CHECK-LABEL: def tvmgen_default_fused_nn_layer_norm(
    # CHECK-NEXT: "tenon.op": {"kind": "reduce"
    @T.prim_func(private=True)
    def tvmgen_default_fused_nn_layer_norm(p0: T.Buffer((1024,), "float32"), p1: T.Buffer((64,), "float32"), p2: T.Buffer((64,), "float32"), T_layer_norm: T.Buffer((1024,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        p0_red_temp_v0 = T.allocate([16], "float32", "global.workspace")
        p0_red_temp_v1 = T.allocate([16], "float32", "global.workspace")
        v0 = T.Buffer((16,), data=p0_red_temp_v0)
        v1 = T.Buffer((16,), data=p0_red_temp_v1)
        for ax0 in range(16):
            v0[ax0] = T.float32(0)
            v1[ax0] = T.float32(0)
            for k1 in range(64):
                v_p0_red_temp_v0: T.float32 = v0[ax0] + p0[ax0 * 64 + k1]
                v_p0_red_temp_v1: T.float32 = v1[ax0] + p0[ax0 * 64 + k1] * p0[ax0 * 64 + k1]
                v0[ax0] = v_p0_red_temp_v0
                v1[ax0] = v_p0_red_temp_v1
        for ax0, ax1 in T.grid(16, 64):
            T_layer_norm[ax0 * 64 + ax1] = (p0[ax0 * 64 + ax1] - v0[ax0] * T.float32(0.015625)) * T.rsqrt(v1[ax0] * T.float32(0.015625) - v0[ax0] * T.float32(0.015625) * (v0[ax0] * T.float32(0.015625)) + T.float32(1.0000000000000001e-05)) * p1[ax1] + p2[ax1]

    # CHECK-LABEL: def tvmgen_default_fused_nn_leaky_relu(
    # CHECK-NEXT: "tenon.op": {"kind": "elementwise"
    @T.prim_func(private=True)
    def tvmgen_default_fused_nn_leaky_relu(p0: T.Buffer((784,), "float32"), compute: T.Buffer((784,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for i0_i1_fused_i2_fused, i3 in T.grid(112, 7):
            compute[i0_i1_fused_i2_fused * 7 + i3] = T.Select(T.float32(0) < p0[i0_i1_fused_i2_fused * 7 + i3], p0[i0_i1_fused_i2_fused * 7 + i3], p0[i0_i1_fused_i2_fused * 7 + i3] * T.float32(0.10000000149011612))

    # CHECK-LABEL: def tvmgen_default_fused_nn_log_softmax(
    # CHECK-NEXT: "tenon.op": {"kind": "{{softmax|reduce}}"
    @T.prim_func(private=True)
    def tvmgen_default_fused_nn_log_softmax(p0: T.Buffer((160,), "float32"), compute: T.Buffer((160,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for i in range(16):
            T_softmax_maxelem = T.allocate([1], "float32", "global.workspace")
            compute_1 = T.allocate([1], "float32", "global.workspace")
            T_softmax_maxelem_1 = T.Buffer((1,), data=T_softmax_maxelem)
            compute_2 = T.Buffer((1,), data=compute_1)
            T_softmax_maxelem_1[0] = T.float32(-3.4028234663852886e+38)
            for k in range(10):
                T_softmax_maxelem_1[0] = T.max(T_softmax_maxelem_1[0], p0[i * 10 + k])
            compute_2[0] = T.float32(0)
            for k in range(10):
                compute_2[0] = compute_2[0] + T.exp(p0[i * 10 + k] - T_softmax_maxelem_1[0])
            for j in range(10):
                compute[i * 10 + j] = p0[i * 10 + j] - T_softmax_maxelem_1[0] - T.log(compute_2[0])

    # CHECK-LABEL: def tvmgen_default_fused_nn_lrn(
    # CHECK-NEXT: "tenon.op": {"kind": "reduce"
    @T.prim_func(private=True)
    def tvmgen_default_fused_nn_lrn(p0: T.Buffer((784,), "float32"), T_divide: T.Buffer((784,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        pad_data = T.allocate([980], "float32", "global.workspace")
        tensor = T.allocate([784], "float32", "global.workspace")
        pad_data_1 = T.Buffer((980,), data=pad_data)
        tensor_1 = T.Buffer((784,), data=tensor)
        for i1, i2, i3 in T.grid(20, 7, 7):
            pad_data_1[i1 * 49 + i2 * 7 + i3] = T.if_then_else(2 <= i1 and i1 < 18, p0[i1 * 49 + i2 * 7 + i3 - 98], T.float32(0))
        for ax1, ax2, ax3 in T.grid(16, 7, 7):
            tensor_1[ax1 * 49 + ax2 * 7 + ax3] = T.float32(0)
            for rxs in range(5):
                tensor_1[ax1 * 49 + ax2 * 7 + ax3] = tensor_1[ax1 * 49 + ax2 * 7 + ax3] + pad_data_1[ax1 * 49 + rxs * 49 + ax2 * 7 + ax3] * pad_data_1[ax1 * 49 + rxs * 49 + ax2 * 7 + ax3]
        for ax1, ax2, ax3 in T.grid(16, 7, 7):
            T_divide[ax1 * 49 + ax2 * 7 + ax3] = p0[ax1 * 49 + ax2 * 7 + ax3] / T.pow(T.float32(2) + T.float32(0.0001) * tensor_1[ax1 * 49 + ax2 * 7 + ax3] / T.float32(5), T.float32(0.75))

    # CHECK-LABEL: def tvmgen_default_fused_nn_mirror_pad(
    # CHECK-NEXT: "tenon.op": {"kind": "layout"
    @T.prim_func(private=True)
    def tvmgen_default_fused_nn_mirror_pad(p0: T.Buffer((64,), "float32"), mirror_pad: T.Buffer((144,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for i0, i1, i2 in T.grid(4, 6, 6):
            mirror_pad[i0 * 36 + i1 * 6 + i2] = p0[i0 * 16 + T.if_then_else(i1 < 1, 1 - i1, T.if_then_else(5 <= i1, 7 - i1, i1 - 1)) * 4 + T.if_then_else(i2 < 1, 1 - i2, T.if_then_else(5 <= i2, 7 - i2, i2 - 1))]

    # Scores, scaled and masked, of two heads.
    # CHECK-LABEL: def tvmgen_default_fused_nn_softmax(
    # CHECK-NEXT: "tenon.op": {"kind": "softmax"
    @T.prim_func(private=True)
    def tvmgen_default_fused_nn_softmax(p0: T.Buffer((512,), "float32"), T_softmax_norm: T.Buffer((512,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for i0_i1_fused_i2_fused in T.parallel(32):
            T_softmax_maxelem = T.allocate([1], "float32", "global.workspace")
            T_softmax_exp = T.allocate([16], "float32", "global.workspace")
            T_softmax_expsum = T.allocate([1], "float32", "global.workspace")
            T_softmax_maxelem_1 = T.Buffer((1,), data=T_softmax_maxelem)
            T_softmax_exp_1 = T.Buffer((16,), data=T_softmax_exp)
            T_softmax_expsum_1 = T.Buffer((1,), data=T_softmax_expsum)
            T_softmax_maxelem_1[0] = T.float32(-3.4028234663852886e+38)
            for k in range(16):
                T_softmax_maxelem_1[0] = T.max(T_softmax_maxelem_1[0], p0[i0_i1_fused_i2_fused * 16 + k])
            for i3 in range(16):
                T_softmax_exp_1[i3] = T.exp(p0[i0_i1_fused_i2_fused * 16 + i3] - T_softmax_maxelem_1[0])
            T_softmax_expsum_1[0] = T.float32(0)
            for k in range(16):
                T_softmax_expsum_1[0] = T_softmax_expsum_1[0] + T_softmax_exp_1[k]
            for i3 in range(16):
                T_softmax_norm[i0_i1_fused_i2_fused * 16 + i3] = T_softmax_exp_1[i3] / T_softmax_expsum_1[0]

    # CHECK-LABEL: def tvmgen_default_fused_nn_upsampling(
    # CHECK-NEXT: "tenon.op": {"kind": "layout"
    @T.prim_func(private=True)
    def tvmgen_default_fused_nn_upsampling(p0: T.Buffer((784,), "float32"), resize: T.Buffer((3136,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for i0_i1_fused_i2_fused in T.parallel(224):
            for i3 in range(14):
                resize[i0_i1_fused_i2_fused * 14 + i3] = p0[i0_i1_fused_i2_fused // 14 * 49 + i0_i1_fused_i2_fused % 14 // 2 * 7 + i3 // 2]

    # gelu by tanh.
    # CHECK-LABEL: def tvmgen_default_fused_power_multiply_add_tanh(
    # CHECK-NEXT: "tenon.op": {"kind": "elementwise"
    @T.prim_func(private=True)
    def tvmgen_default_fused_power_multiply_add_tanh(p0: T.Buffer((1024,), "float32"), T_multiply: T.Buffer((1024,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for ax0_ax1_fused, ax2 in T.grid(16, 64):
            cse_var_1: T.int32 = ax0_ax1_fused * 64 + ax2
            T_multiply[cse_var_1] = p0[cse_var_1] * T.float32(0.5) * (T.float32(1) + T.tanh(T.float32(0.79788456080286541) * (p0[cse_var_1] + T.float32(0.044714999999999998) * T.pow(p0[cse_var_1], T.float32(3)))))

    # Heads to the front: reshape and transpose in one.
    # CHECK-LABEL: def tvmgen_default_fused_reshape_transpose_reshape(
    # CHECK-NEXT: "tenon.op": {"kind": "layout"
    @T.prim_func(private=True)
    def tvmgen_default_fused_reshape_transpose_reshape(p0: T.Buffer((1024,), "float32"), T_reshape: T.Buffer((1024,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for ax0_ax1_fused in T.parallel(32):
            for ax2 in range(32):
                T_reshape[ax0_ax1_fused * 32 + ax2] = p0[ax0_ax1_fused % 16 * 64 + ax0_ax1_fused // 16 * 32 + ax2]

    # CHECK-LABEL: def tvmgen_default_fused_sigmoid_multiply(
    # CHECK-NEXT: "tenon.op": {"kind": "elementwise"
    @T.prim_func(private=True)
    def tvmgen_default_fused_sigmoid_multiply(p0: T.Buffer((784,), "float32"), p1: T.Buffer((16,), "float32"), T_multiply: T.Buffer((784,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for ax0_ax1_fused_ax2_fused in T.parallel(112):
            for ax3 in range(7):
                T_multiply[ax0_ax1_fused_ax2_fused * 7 + ax3] = T.sigmoid(p1[ax0_ax1_fused_ax2_fused // 7]) * p0[ax0_ax1_fused_ax2_fused * 7 + ax3]

    # CHECK-LABEL: def tvmgen_default_fused_squeeze(
    # CHECK-NEXT: "tenon.op": {"kind": "layout"
    @T.prim_func(private=True)
    def tvmgen_default_fused_squeeze(p0: T.Buffer((1, 16, 1, 1), "float32"), T_squeeze: T.Buffer((1, 16), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for ax0, ax1 in T.grid(1, 16):
            T_squeeze[ax0, ax1] = p0[ax0, ax1, 0, 0]

    # CHECK-LABEL: def tvmgen_default_fused_strided_slice(
    # CHECK-NEXT: "tenon.op": {"kind": "layout"
    @T.prim_func(private=True)
    def tvmgen_default_fused_strided_slice(p0: T.Buffer((1024,), "float32"), T_strided_slice: T.Buffer((64,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for ax0, ax1 in T.grid(4, 16):
            T_strided_slice[ax0 * 16 + ax1] = p0[ax0 * 256 + ax1 * 2 + 7]

    # Rows of a table, indexed by another tensor.
    # CHECK-LABEL: def tvmgen_default_fused_take(
    # CHECK-NEXT: "tenon.op": {"kind": "take"
    @T.prim_func(private=True)
    def tvmgen_default_fused_take(p0: T.Buffer((3200,), "float32"), p1: T.Buffer((16,), "int32"), T_take: T.Buffer((512,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        for ax0, ax1 in T.grid(16, 32):
            T_take[ax0 * 32 + ax1] = p0[T.min(T.max(0, p1[ax0]), 99) * 32 + ax1]

    # The variance of rows with given means.
    # CHECK-LABEL: def tvmgen_default_fused_variance(
    # CHECK-NEXT: "tenon.op": {"kind": "reduce"
    @T.prim_func(private=True)
    def tvmgen_default_fused_variance(p0: T.Buffer((1024,), "float32"), p1: T.Buffer((16,), "float32"), T_divide: T.Buffer((16,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True), "tir.noalias": T.bool(True)})
        T_multiply = T.allocate([1024], "float32", "global.workspace")
        T_multiply_red = T.allocate([16], "float32", "global.workspace")
        T_multiply_1 = T.Buffer((1024,), data=T_multiply)
        T_multiply_red_1 = T.Buffer((16,), data=T_multiply_red)
        for ax0, ax1 in T.grid(16, 64):
            T_multiply_1[ax0 * 64 + ax1] = (p0[ax0 * 64 + ax1] - p1[ax0]) * (p0[ax0 * 64 + ax1] - p1[ax0])
        for ax0 in range(16):
            T_multiply_red_1[ax0] = T.float32(0)
            for k1 in range(64):
                T_multiply_red_1[ax0] = T_multiply_red_1[ax0] + T_multiply_1[ax0 * 64 + k1]
        for ax0 in range(16):
            T_divide[ax0] = T_multiply_red_1[ax0] / T.float32(64)

    @T.prim_func
    def main():
        T.evaluate(0)
