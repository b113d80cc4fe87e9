# The head of a quantized Mobilenet in the shape of TVM's test of its planner: subtract, convolution with
# padding, max pool. Five buffers; sid_8 is live with every other one except sid_9.
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Mobilenet:
    @T.prim_func
    def subtract(data: T.Buffer((150528,), "uint8"), out: T.Buffer((150528,), "int16")):
        for i in range(150528):
            out[i] = T.Cast("int16", data[i]) - T.int16(94)

    @T.prim_func
    def conv(data: T.Buffer((150528,), "int16"), out: T.Buffer((802816,), "uint8")):
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
    def max_pool(data: T.Buffer((802816,), "uint8"), out: T.Buffer((200704,), "int16")):
        tensor_2 = T.decl_buffer((200704,), "uint8")
        for r in range(56):
            for c in range(3584):
                tensor_2[r * 3584 + c] = T.uint8(0)
            for k, c in T.grid(2, 3584):
                tensor_2[r * 3584 + c] = T.max(tensor_2[r * 3584 + c], data[r * 14336 + (k * 4 + c * 4) % 14336])
        for i in range(200704):
            out[i] = T.Cast("int16", tensor_2[i])

    @T.prim_func
    def __tvm_main__(input: T.Buffer((150528,), "uint8"), output: T.Buffer((200704,), "int16")):
        T.func_attr({"global_symbol": "tvmgen_default___tvm_main__", "runner_function": T.bool(True)})
        sid_9 = T.allocate([301056], "int8", "global")
        sid_8 = T.allocate([802816], "int8", "global")
        T.call_extern("int32", "subtract", input.data, sid_9)
        T.call_extern("int32", "conv", sid_9, sid_8)
        T.call_extern("int32", "max_pool", sid_8, output.data)
