# The head of a quantized Inception network and its first module, in the shape of TVM's test: four
# branches off sid_3 and sid_4 that are concatenated at the end. 34 buffers.
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Inception:
    @T.prim_func
    def subtract(data: T.Buffer((150528,), "uint8"), out: T.Buffer((150528,), "int16")):
        for i in range(150528):
            out[i] = T.Cast("int16", data[i]) - T.int16(94)

    @T.prim_func
    def conv_head(data: T.Buffer((150528,), "int16"), out: T.Buffer((802816,), "uint8")):
        PaddedInput_7 = T.decl_buffer((157323,), "int16")
        for i in range(157323):
            PaddedInput_7[i] = T.if_then_else(i < 150528, data[i], T.int16(0))
        for p in range(12544):
            Conv2dOutput_7 = T.decl_buffer((64,), "int32")
            for c in range(64):
                Conv2dOutput_7[c] = c
                for k in range(3):
                    Conv2dOutput_7[c] = Conv2dOutput_7[c] + T.Cast("int32", PaddedInput_7[p * 12 + k])
            for c in range(64):
                out[p * 64 + c] = T.Cast("uint8", T.bitwise_and(Conv2dOutput_7[c], 255))

    @T.prim_func
    def max_pool_head(data: T.Buffer((802816,), "uint8"), out: T.Buffer((200704,), "int16")):
        tensor_2 = T.decl_buffer((200704,), "uint8")
        for r in range(56):
            for c in range(3584):
                tensor_2[r * 3584 + c] = T.uint8(0)
            for k, c in T.grid(2, 3584):
                tensor_2[r * 3584 + c] = T.max(tensor_2[r * 3584 + c], data[r * 14336 + (k * 4 + c * 4) % 14336])
        for i in range(200704):
            out[i] = T.Cast("int16", tensor_2[i])

    @T.prim_func
    def conv_reduce(data: T.Buffer((200704,), "int16"), out: T.Buffer((200704,), "int16")):
        PaddedInput = T.decl_buffer((200704,), "int16")
        for i in range(200704):
            PaddedInput[i] = data[i]
        for p in range(3136):
            Conv2dOutput = T.decl_buffer((64,), "int32")
            for c in range(64):
                Conv2dOutput[c] = c
                for k in range(3):
                    Conv2dOutput[c] = Conv2dOutput[c] + T.Cast("int32", PaddedInput[p * 64 + k])
            for c in range(64):
                out[p * 64 + c] = T.Cast("int16", T.bitwise_and(Conv2dOutput[c], 255))

    @T.prim_func
    def conv_body(data: T.Buffer((200704,), "int16"), out: T.Buffer((602112,), "uint8")):
        PaddedInput_8 = T.decl_buffer((215296,), "int16")
        for i in range(215296):
            PaddedInput_8[i] = T.if_then_else(i < 200704, data[i], T.int16(0))
        for p in range(3136):
            Conv2dOutput_8 = T.decl_buffer((64,), "int32")
            for o in range(3):
                for c in range(64):
                    Conv2dOutput_8[c] = o
                    for k in range(3):
                        Conv2dOutput_8[c] = Conv2dOutput_8[c] + T.Cast("int32", PaddedInput_8[p * 68 + k])
                for c in range(64):
                    out[p * 192 + o * 64 + c] = T.Cast("uint8", T.bitwise_and(Conv2dOutput_8[c], 255))

    @T.prim_func
    def max_pool(data: T.Buffer((602112,), "uint8"), out: T.Buffer((150528,), "uint8")):
        for i in range(150528):
            out[i] = T.max(data[i * 4], data[i * 4 + 3])

    @T.prim_func
    def widen(data: T.Buffer((150528,), "uint8"), out: T.Buffer((150528,), "int16")):
        for i in range(150528):
            out[i] = T.Cast("int16", data[i])

    @T.prim_func
    def branch0(data: T.Buffer((150528,), "int16"), out: T.Buffer((50176,), "uint8")):
        PaddedInput_2 = T.decl_buffer((150528,), "int16")
        for i in range(150528):
            PaddedInput_2[i] = data[i]
        for p in range(784):
            Conv2dOutput_2 = T.decl_buffer((64,), "int32")
            for c in range(64):
                Conv2dOutput_2[c] = c
                for k in range(3):
                    Conv2dOutput_2[c] = Conv2dOutput_2[c] + T.Cast("int32", PaddedInput_2[p * 192 + k])
            for c in range(64):
                out[p * 64 + c] = T.Cast("uint8", T.bitwise_and(Conv2dOutput_2[c], 255))

    @T.prim_func
    def branch1_reduce(data: T.Buffer((150528,), "int16"), out: T.Buffer((75264,), "int16")):
        PaddedInput_1 = T.decl_buffer((150528,), "int16")
        for i in range(150528):
            PaddedInput_1[i] = data[i]
        for p in range(784):
            Conv2dOutput_1 = T.decl_buffer((1,), "int32")
            for c in range(96):
                Conv2dOutput_1[0] = c
                for k in range(3):
                    Conv2dOutput_1[0] = Conv2dOutput_1[0] + T.Cast("int32", PaddedInput_1[p * 192 + k])
                out[p * 96 + c] = T.Cast("int16", T.bitwise_and(Conv2dOutput_1[0], 255))

    @T.prim_func
    def branch1(data: T.Buffer((75264,), "int16"), out: T.Buffer((100352,), "uint8")):
        PaddedInput_6 = T.decl_buffer((86400,), "int16")
        for i in range(86400):
            PaddedInput_6[i] = T.if_then_else(i < 75264, data[i], T.int16(0))
        for p in range(784):
            Conv2dOutput_6 = T.decl_buffer((64,), "int32")
            for o in range(2):
                for c in range(64):
                    Conv2dOutput_6[c] = o
                    for k in range(3):
                        Conv2dOutput_6[c] = Conv2dOutput_6[c] + T.Cast("int32", PaddedInput_6[p * 110 + k])
                for c in range(64):
                    out[p * 128 + o * 64 + c] = T.Cast("uint8", T.bitwise_and(Conv2dOutput_6[c], 255))

    @T.prim_func
    def branch2_reduce(data: T.Buffer((150528,), "int16"), out: T.Buffer((12544,), "int16")):
        PaddedInput_4 = T.decl_buffer((150528,), "int16")
        for i in range(150528):
            PaddedInput_4[i] = data[i]
        for p in range(784):
            Conv2dOutput_4 = T.decl_buffer((1,), "int32")
            for c in range(16):
                Conv2dOutput_4[0] = c
                for k in range(3):
                    Conv2dOutput_4[0] = Conv2dOutput_4[0] + T.Cast("int32", PaddedInput_4[p * 192 + k])
                out[p * 16 + c] = T.Cast("int16", T.bitwise_and(Conv2dOutput_4[0], 255))

    @T.prim_func
    def branch2(data: T.Buffer((12544,), "int16"), out: T.Buffer((25088,), "uint8")):
        PaddedInput_5 = T.decl_buffer((14400,), "int16")
        for i in range(14400):
            PaddedInput_5[i] = T.if_then_else(i < 12544, data[i], T.int16(0))
        for p in range(784):
            Conv2dOutput_5 = T.decl_buffer((1,), "int32")
            for c in range(32):
                Conv2dOutput_5[0] = c
                for k in range(3):
                    Conv2dOutput_5[0] = Conv2dOutput_5[0] + T.Cast("int32", PaddedInput_5[p * 18 + k])
                out[p * 32 + c] = T.Cast("uint8", T.bitwise_and(Conv2dOutput_5[0], 255))

    @T.prim_func
    def branch3_pool(data: T.Buffer((150528,), "uint8"), out: T.Buffer((150528,), "int16")):
        tensor_3 = T.decl_buffer((150528,), "uint8")
        for r in range(28):
            for c in range(5376):
                tensor_3[r * 5376 + c] = T.uint8(0)
            for k, c in T.grid(2, 5376):
                tensor_3[r * 5376 + c] = T.max(tensor_3[r * 5376 + c], data[r * 5376 + (k * 1 + c * 1) % 5376])
        for i in range(150528):
            out[i] = T.Cast("int16", tensor_3[i])

    @T.prim_func
    def branch3(data: T.Buffer((150528,), "int16"), out: T.Buffer((25088,), "uint8")):
        PaddedInput_3 = T.decl_buffer((150528,), "int16")
        for i in range(150528):
            PaddedInput_3[i] = data[i]
        for p in range(784):
            Conv2dOutput_3 = T.decl_buffer((1,), "int32")
            for c in range(32):
                Conv2dOutput_3[0] = c
                for k in range(3):
                    Conv2dOutput_3[0] = Conv2dOutput_3[0] + T.Cast("int32", PaddedInput_3[p * 192 + k])
                out[p * 32 + c] = T.Cast("uint8", T.bitwise_and(Conv2dOutput_3[0], 255))

    @T.prim_func
    def concatenate(a: T.Buffer((50176,), "uint8"), b: T.Buffer((100352,), "uint8"), c: T.Buffer((25088,), "uint8"),
                    d: T.Buffer((25088,), "uint8"), out: T.Buffer((200704,), "uint8")):
        for p in range(784):
            for i in range(64):
                out[p * 256 + i] = a[p * 64 + i]
            for i in range(128):
                out[p * 256 + i + 64] = b[p * 128 + i]
            for i in range(32):
                out[p * 256 + i + 192] = c[p * 32 + i]
            for i in range(32):
                out[p * 256 + i + 224] = d[p * 32 + i]

    @T.prim_func
    def __tvm_main__(input: T.Buffer((150528,), "uint8"), output: T.Buffer((200704,), "uint8")):
        T.func_attr({"global_symbol": "tvmgen_default___tvm_main__", "runner_function": T.bool(True)})
        sid_32 = T.allocate([301056], "int8", "global")
        sid_20 = T.allocate([150528], "int8", "global")
        sid_6 = T.allocate([401408], "int8", "global")
        sid_9 = T.allocate([301056], "int8", "global")
        sid_7 = T.allocate([401408], "int8", "global")
        sid_8 = T.allocate([802816], "int8", "global")
        sid_2 = T.allocate([50176], "int8", "global")
        sid_3 = T.allocate([301056], "int8", "global")
        sid_19 = T.allocate([100352], "int8", "global")
        sid_4 = T.allocate([150528], "int8", "global")
        sid_5 = T.allocate([602112], "int8", "global")
        sid_25 = T.allocate([25088], "int8", "global")
        sid_26 = T.allocate([25088], "int8", "global")
        sid_31 = T.allocate([25088], "int8", "global")
        T.call_extern("int32", "subtract", input.data, sid_9)
        T.call_extern("int32", "conv_head", sid_9, sid_8)
        T.call_extern("int32", "max_pool_head", sid_8, sid_7)
        T.call_extern("int32", "conv_reduce", sid_7, sid_6)
        T.call_extern("int32", "conv_body", sid_6, sid_5)
        T.call_extern("int32", "max_pool", sid_5, sid_4)
        T.call_extern("int32", "widen", sid_4, sid_3)
        T.call_extern("int32", "branch0", sid_3, sid_2)
        T.call_extern("int32", "branch1_reduce", sid_3, sid_20)
        T.call_extern("int32", "branch1", sid_20, sid_19)
        T.call_extern("int32", "branch2_reduce", sid_3, sid_26)
        T.call_extern("int32", "branch2", sid_26, sid_25)
        T.call_extern("int32", "branch3_pool", sid_4, sid_32)
        T.call_extern("int32", "branch3", sid_32, sid_31)
        T.call_extern("int32", "concatenate", sid_2, sid_19, sid_25, sid_31, output.data)
