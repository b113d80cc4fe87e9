# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("conv1_weight", I.file("digits.safetensors", "conv1_weight"), "int8", [3, 3, 1, 16]), I.constant("conv1_bias", I.file("digits.safetensors", "conv1_bias"), "int32", [16]), I.constant("depthwise_weight", I.file("digits.safetensors", "depthwise_weight"), "int8", [3, 3, 16, 1]), I.constant("depthwise_bias", I.file("digits.safetensors", "depthwise_bias"), "int32", [16]), I.constant("pointwise_weight", I.file("digits.safetensors", "pointwise_weight"), "int8", [16, 16]), I.constant("pointwise_bias", I.file("digits.safetensors", "pointwise_bias"), "int32", [16]), I.constant("conv2_weight", I.file("digits.safetensors", "conv2_weight"), "int8", [3, 3, 16, 32]), I.constant("conv2_bias", I.file("digits.safetensors", "conv2_bias"), "int32", [32]), I.constant("dense_weight", I.file("digits.safetensors", "dense_weight"), "int8", [128, 10]), I.constant("dense_bias", I.file("digits.safetensors", "dense_bias"), "int32", [10])]})
    @T.prim_func
    def __tvm_main__(image: T.handle, logits: T.handle):
        T.func_attr({"global_symbol": "tvmgen_digits___tvm_main__", "runner_function": T.bool(True), "target": T.target({"keys": ["cpu"], "kind": "c", "tag": ""})})
        image_buffer = T.match_buffer(image, (1, 8, 8, 1), "int8", align=16)
        logits_buffer = T.match_buffer(logits, (1, 10), "int8", align=16)
        sid_6 = T.allocate([128], "int8", "global.workspace")
        sid_5 = T.allocate([512], "int8", "global.workspace")
        sid_4 = T.allocate([256], "int8", "global.workspace")
        sid_3 = T.allocate([1024], "int8", "global.workspace")
        sid_2 = T.allocate([1024], "int8", "global.workspace")
        sid_1 = T.allocate([1024], "int8", "global.workspace")
        T.tvm_check_return(0, -1, T.call_extern("int32", "tvmgen_digits_fused_conv2d_add_requantize_clip", image_buffer.data, sid_1))
        T.tvm_check_return(0, -1, T.call_extern("int32", "tvmgen_digits_fused_depthwise_conv2d_add_requantize_clip", sid_1, sid_2))
        T.tvm_check_return(0, -1, T.call_extern("int32", "tvmgen_digits_fused_pointwise_conv2d_add_requantize_clip_add", sid_2, sid_1, sid_3))
        T.tvm_check_return(0, -1, T.call_extern("int32", "tvmgen_digits_fused_max_pool2d", sid_3, sid_4))
        T.tvm_check_return(0, -1, T.call_extern("int32", "tvmgen_digits_fused_conv2d_add_requantize_clip_1", sid_4, sid_5))
        T.tvm_check_return(0, -1, T.call_extern("int32", "tvmgen_digits_fused_avg_pool2d", sid_5, sid_6))
        T.tvm_check_return(0, -1, T.call_extern("int32", "tvmgen_digits_fused_dense_add_requantize_clip", sid_6, logits_buffer.data))

    @T.prim_func
    def tvmgen_digits_fused_avg_pool2d(p0: T.Buffer((1, 4, 4, 32), "int8"), T_pool: T.Buffer((1, 2, 2, 32), "int8")):
        T.func_attr({"target": T.target({"host": {"keys": ["cpu"], "kind": "c", "tag": ""}, "keys": ["cpu"], "kind": "c", "tag": ""}), "tir.noalias": T.bool(True)})
        for y, x in T.grid(2, 2):
            pool = T.allocate([32], "int32", "global")
            pool_1 = T.Buffer((32,), "int32", data=pool)
            for c in range(32):
                pool_1[c] = 0
            for ky, kx, c in T.grid(2, 2, 32):
                p0_1 = T.Buffer((512,), "int8", data=p0.data)
                pool_1[c] = pool_1[c] + T.Cast("int32", p0_1[(y * 2 + ky) * 128 + (x * 2 + kx) * 32 + c])
            for c in range(32):
                T_pool_1 = T.Buffer((128,), "int8", data=T_pool.data)
                T_pool_1[y * 64 + x * 32 + c] = T.Cast("int8", (pool_1[c] + 2) // 4)

    @T.prim_func
    def tvmgen_digits_fused_conv2d_add_requantize_clip(p0: T.Buffer((1, 8, 8, 1), "int8"), T_conv: T.Buffer((1, 8, 8, 16), "int8")):
        T.func_attr({"target": T.target({"host": {"keys": ["cpu"], "kind": "c", "tag": ""}, "keys": ["cpu"], "kind": "c", "tag": ""}), "tir.noalias": T.bool(True)})
        conv1_shift = T.allocate_const([8, 9, 9, 9, 9, 8, 8, 8, 9, 9, 9, 9, 9, 8, 9, 9], "int32", [16])
        conv1_multiplier = T.allocate_const([1419026928, 1355510979, 1624074797, 1870169455, 2035997783, 1120179310, 1376846429, 1203499220, 1436379542, 1529487766, 1774814285, 2046103543, 1608727831, 1277230596, 1537123592, 1987914217], "int32", [16])
        conv1_bias = T.allocate_const(I.constant("conv1_bias"), "int32", [16])
        conv1_weight = T.allocate_const(I.constant("conv1_weight"), "int8", [3, 3, 1, 16])
        padded = T.allocate([100], "int16", "global")
        padded_1 = T.Buffer((100,), "int16", data=padded)
        for y, x in T.grid(10, 10):
            p0_1 = T.Buffer((64,), "int8", data=p0.data)
            padded_1[y * 10 + x] = T.if_then_else(1 <= y and y < 9 and 1 <= x and x < 9, T.Cast("int16", p0_1[y * 8 + x - 9]) - T.int16(-128), T.int16(0))
        for y, x in T.grid(8, 8):
            sums = T.allocate([16], "int32", "global")
            sums_1 = T.Buffer((16,), "int32", data=sums)
            for o in range(16):
                conv1_bias_1 = T.Buffer((16,), "int32", data=conv1_bias)
                sums_1[o] = conv1_bias_1[o]
            for ky, kx, o in T.grid(3, 3, 16):
                conv1_weight_1 = T.Buffer((144,), "int8", data=conv1_weight)
                sums_1[o] = sums_1[o] + T.Cast("int32", padded_1[(y + ky) * 10 + x + kx]) * T.Cast("int32", conv1_weight_1[ky * 48 + kx * 16 + o])
            for o in range(16):
                T_conv_1 = T.Buffer((1024,), "int8", data=T_conv.data)
                conv1_multiplier_1 = T.Buffer((16,), "int32", data=conv1_multiplier)
                conv1_shift_1 = T.Buffer((16,), "int32", data=conv1_shift)
                T_conv_1[y * 128 + x * 16 + o] = T.Cast("int8", T.max(T.min(T.q_multiply_shift_per_axis(sums_1[o], conv1_multiplier_1[o], 0, conv1_shift_1[o], 31, T.bool(False), T.bool(True)) - 128, 127), -128))

    @T.prim_func
    def tvmgen_digits_fused_conv2d_add_requantize_clip_1(p0: T.Buffer((1, 4, 4, 16), "int8"), T_conv: T.Buffer((1, 4, 4, 32), "int8")):
        T.func_attr({"target": T.target({"host": {"keys": ["cpu"], "kind": "c", "tag": ""}, "keys": ["cpu"], "kind": "c", "tag": ""}), "tir.noalias": T.bool(True)})
        conv2_shift = T.allocate_const([9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 8, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 8], "int32", [32])
        conv2_multiplier = T.allocate_const([1581972734, 1538338141, 2038914614, 1736609216, 1620835324, 1462175499, 1802304794, 1762641289, 1918350789, 1831467026, 1674447878, 1445264653, 1426358128, 1497389779, 2094813904, 1309387807, 1439221571, 1900327219, 1932783866, 2113520415, 1980198610, 1743296270, 1624619943, 1730183884, 2050036440, 1503802040, 1627282797, 1447823744, 1118810840, 1710996073, 1574159502, 1094536505], "int32", [32])
        conv2_bias = T.allocate_const(I.constant("conv2_bias"), "int32", [32])
        conv2_weight = T.allocate_const(I.constant("conv2_weight"), "int8", [3, 3, 16, 32])
        padded = T.allocate([576], "int16", "global")
        padded_1 = T.Buffer((576,), "int16", data=padded)
        for y, x, c in T.grid(6, 6, 16):
            p0_1 = T.Buffer((256,), "int8", data=p0.data)
            padded_1[y * 96 + x * 16 + c] = T.if_then_else(1 <= y and y < 5 and 1 <= x and x < 5, T.Cast("int16", p0_1[y * 64 + x * 16 + c - 80]) - T.int16(-128), T.int16(0))
        for y, x in T.grid(4, 4):
            sums = T.allocate([32], "int32", "global")
            sums_1 = T.Buffer((32,), "int32", data=sums)
            for o in range(32):
                conv2_bias_1 = T.Buffer((32,), "int32", data=conv2_bias)
                sums_1[o] = conv2_bias_1[o]
            for ky, kx, c, o in T.grid(3, 3, 16, 32):
                conv2_weight_1 = T.Buffer((4608,), "int8", data=conv2_weight)
                sums_1[o] = sums_1[o] + T.Cast("int32", padded_1[(y + ky) * 96 + (x + kx) * 16 + c]) * T.Cast("int32", conv2_weight_1[ky * 1536 + kx * 512 + c * 32 + o])
            for o in range(32):
                T_conv_1 = T.Buffer((512,), "int8", data=T_conv.data)
                conv2_multiplier_1 = T.Buffer((32,), "int32", data=conv2_multiplier)
                conv2_shift_1 = T.Buffer((32,), "int32", data=conv2_shift)
                T_conv_1[y * 128 + x * 32 + o] = T.Cast("int8", T.max(T.min(T.q_multiply_shift_per_axis(sums_1[o], conv2_multiplier_1[o], 0, conv2_shift_1[o], 31, T.bool(False), T.bool(True)) - 128, 127), -128))

    @T.prim_func
    def tvmgen_digits_fused_dense_add_requantize_clip(p0: T.Buffer((1, 128), "int8"), T_dense: T.Buffer((1, 10), "int8")):
        T.func_attr({"target": T.target({"host": {"keys": ["cpu"], "kind": "c", "tag": ""}, "keys": ["cpu"], "kind": "c", "tag": ""}), "tir.noalias": T.bool(True)})
        dense_shift = T.allocate_const([7, 8, 8, 8, 8, 7, 8, 8, 8, 8], "int32", [10])
        dense_multiplier = T.allocate_const([1235026919, 1240771443, 1339479578, 2052971102, 1786098789, 1092601263, 1808074538, 1822410544, 1828039367, 1693890845], "int32", [10])
        dense_bias = T.allocate_const(I.constant("dense_bias"), "int32", [10])
        dense_weight = T.allocate_const(I.constant("dense_weight"), "int8", [128, 10])
        sums = T.allocate([10], "int32", "global")
        sums_1 = T.Buffer((10,), "int32", data=sums)
        for o in range(10):
            dense_bias_1 = T.Buffer((10,), "int32", data=dense_bias)
            sums_1[o] = dense_bias_1[o]
        for c, o in T.grid(128, 10):
            p0_1 = T.Buffer((128,), "int8", data=p0.data)
            dense_weight_1 = T.Buffer((1280,), "int8", data=dense_weight)
            sums_1[o] = sums_1[o] + (T.Cast("int32", p0_1[c]) + 128) * T.Cast("int32", dense_weight_1[c * 10 + o])
        for o in range(10):
            T_dense_1 = T.Buffer((10,), "int8", data=T_dense.data)
            dense_multiplier_1 = T.Buffer((10,), "int32", data=dense_multiplier)
            dense_shift_1 = T.Buffer((10,), "int32", data=dense_shift)
            T_dense_1[o] = T.Cast("int8", T.max(T.min(T.q_multiply_shift_per_axis(sums_1[o], dense_multiplier_1[o], 0, dense_shift_1[o], 31, T.bool(False), T.bool(True)) + 8, 127), -128))

    @T.prim_func
    def tvmgen_digits_fused_depthwise_conv2d_add_requantize_clip(p0: T.Buffer((1, 8, 8, 16), "int8"), T_conv: T.Buffer((1, 8, 8, 16), "int8")):
        T.func_attr({"target": T.target({"host": {"keys": ["cpu"], "kind": "c", "tag": ""}, "keys": ["cpu"], "kind": "c", "tag": ""}), "tir.noalias": T.bool(True)})
        depthwise_shift = T.allocate_const([7, 7, 6, 7, 6, 6, 6, 6, 7, 6, 6, 6, 7, 7, 6, 7], "int32", [16])
        depthwise_multiplier = T.allocate_const([1843248451, 1922077321, 1352054782, 1584562960, 1200725028, 1078532286, 1245554787, 1184259806, 1739838015, 1350792120, 1198851526, 1230789649, 1656383395, 1775119710, 1197021946, 2065575760], "int32", [16])
        depthwise_bias = T.allocate_const(I.constant("depthwise_bias"), "int32", [16])
        depthwise_weight = T.allocate_const(I.constant("depthwise_weight"), "int8", [3, 3, 16, 1])
        padded = T.allocate([1600], "int16", "global")
        padded_1 = T.Buffer((1600,), "int16", data=padded)
        for y, x, c in T.grid(10, 10, 16):
            p0_1 = T.Buffer((1024,), "int8", data=p0.data)
            padded_1[y * 160 + x * 16 + c] = T.if_then_else(1 <= y and y < 9 and 1 <= x and x < 9, T.Cast("int16", p0_1[y * 128 + x * 16 + c - 144]) - T.int16(-128), T.int16(0))
        for y, x in T.grid(8, 8):
            sums = T.allocate([16], "int32", "global")
            sums_1 = T.Buffer((16,), "int32", data=sums)
            for o in range(16):
                depthwise_bias_1 = T.Buffer((16,), "int32", data=depthwise_bias)
                sums_1[o] = depthwise_bias_1[o]
            for ky, kx, o in T.grid(3, 3, 16):
                depthwise_weight_1 = T.Buffer((144,), "int8", data=depthwise_weight)
                sums_1[o] = sums_1[o] + T.Cast("int32", padded_1[(y + ky) * 160 + (x + kx) * 16 + o]) * T.Cast("int32", depthwise_weight_1[ky * 48 + kx * 16 + o])
            for o in range(16):
                T_conv_1 = T.Buffer((1024,), "int8", data=T_conv.data)
                depthwise_multiplier_1 = T.Buffer((16,), "int32", data=depthwise_multiplier)
                depthwise_shift_1 = T.Buffer((16,), "int32", data=depthwise_shift)
                T_conv_1[y * 128 + x * 16 + o] = T.Cast("int8", T.max(T.min(T.q_multiply_shift_per_axis(sums_1[o], depthwise_multiplier_1[o], 0, depthwise_shift_1[o], 31, T.bool(False), T.bool(True)) - 128, 127), -128))

    @T.prim_func
    def tvmgen_digits_fused_max_pool2d(p0: T.Buffer((1, 8, 8, 16), "int8"), T_pool: T.Buffer((1, 4, 4, 16), "int8")):
        T.func_attr({"target": T.target({"host": {"keys": ["cpu"], "kind": "c", "tag": ""}, "keys": ["cpu"], "kind": "c", "tag": ""}), "tir.noalias": T.bool(True)})
        for y, x in T.grid(4, 4):
            pool = T.allocate([16], "int8", "global")
            pool_1 = T.Buffer((16,), "int8", data=pool)
            for c in range(16):
                pool_1[c] = T.int8(-128)
            for ky, kx, c in T.grid(2, 2, 16):
                p0_1 = T.Buffer((1024,), "int8", data=p0.data)
                pool_1[c] = T.max(pool_1[c], p0_1[(y * 2 + ky) * 128 + (x * 2 + kx) * 16 + c])
            for c in range(16):
                T_pool_1 = T.Buffer((256,), "int8", data=T_pool.data)
                T_pool_1[y * 64 + x * 16 + c] = pool_1[c]

    @T.prim_func
    def tvmgen_digits_fused_pointwise_conv2d_add_requantize_clip_add(p0: T.Buffer((1, 8, 8, 16), "int8"), p1: T.Buffer((1, 8, 8, 16), "int8"), T_add: T.Buffer((1, 8, 8, 16), "int8")):
        T.func_attr({"target": T.target({"host": {"keys": ["cpu"], "kind": "c", "tag": ""}, "keys": ["cpu"], "kind": "c", "tag": ""}), "tir.noalias": T.bool(True)})
        pointwise_shift = T.allocate_const([8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 9, 8, 8], "int32", [16])
        pointwise_multiplier = T.allocate_const([1760190946, 1486379308, 1705972537, 1546227488, 1659767336, 1767558811, 1667381622, 1700686170, 1095737508, 1536886757, 1758173649, 1746437473, 1698733193, 2035284730, 1524322622, 1837991889], "int32", [16])
        pointwise_bias = T.allocate_const(I.constant("pointwise_bias"), "int32", [16])
        pointwise_weight = T.allocate_const(I.constant("pointwise_weight"), "int8", [16, 16])
        for i in range(64):
            sums = T.allocate([16], "int32", "global")
            sums_1 = T.Buffer((16,), "int32", data=sums)
            for o in range(16):
                pointwise_bias_1 = T.Buffer((16,), "int32", data=pointwise_bias)
                sums_1[o] = pointwise_bias_1[o]
            for c, o in T.grid(16, 16):
                p0_1 = T.Buffer((1024,), "int8", data=p0.data)
                pointwise_weight_1 = T.Buffer((256,), "int8", data=pointwise_weight)
                sums_1[o] = sums_1[o] + (T.Cast("int32", p0_1[i * 16 + c]) + 128) * T.Cast("int32", pointwise_weight_1[c * 16 + o])
            for o in range(16):
                T_add_1 = T.Buffer((1024,), "int8", data=T_add.data)
                p1_1 = T.Buffer((1024,), "int8", data=p1.data)
                pointwise_multiplier_1 = T.Buffer((16,), "int32", data=pointwise_multiplier)
                pointwise_shift_1 = T.Buffer((16,), "int32", data=pointwise_shift)
                T_add_1[i * 16 + o] = T.Cast("int8", T.max(T.min(T.q_multiply_shift(T.Cast("int32", p1_1[i * 16 + o]) + 128, 1817840334, 31, 0) + T.q_multiply_shift(T.max(T.min(T.q_multiply_shift_per_axis(sums_1[o], pointwise_multiplier_1[o], 0, pointwise_shift_1[o], 31, T.bool(False), T.bool(True)) - 13, 127), -128) + 13, 1434831815, 31, 1) - 128, 127), -128))
