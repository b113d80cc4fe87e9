# One convolution, its outer loop serial and then parallel, in the shape of TVM's test. The one-element
# buffer in the loop is not used by anything.
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class AllSerial:
    @T.prim_func
    def conv(data: T.Buffer((200704,), "int16"), out: T.Buffer((602112,), "uint8")):
        PaddedInput_8 = T.decl_buffer((215296,), "int16")
        for i in range(215296):
            PaddedInput_8[i] = T.if_then_else(i < 200704, data[i], T.int16(0))
        for p in range(3136):
            dummy_allocate = T.decl_buffer((1,), "int32")
            for o in range(3):
                Conv2dOutput_8 = T.decl_buffer((64,), "int32")
                for c in range(64):
                    Conv2dOutput_8[c] = o
                    for k in range(3):
                        Conv2dOutput_8[c] = Conv2dOutput_8[c] + T.Cast("int32", PaddedInput_8[p * 68 + k])
                for c in range(64):
                    out[p * 192 + o * 64 + c] = T.Cast("uint8", T.bitwise_and(Conv2dOutput_8[c], 255))

    @T.prim_func
    def __tvm_main__(input: T.Buffer((200704,), "int16"), output: T.Buffer((602112,), "uint8")):
        T.func_attr({"global_symbol": "tvmgen_default___tvm_main__", "runner_function": T.bool(True)})
        T.call_extern("int32", "conv", input.data, output.data)
# -----
@I.ir_module
class ParallelSerialMixed:
    @T.prim_func
    def conv(data: T.Buffer((200704,), "int16"), out: T.Buffer((602112,), "uint8")):
        PaddedInput_8 = T.decl_buffer((215296,), "int16")
        for i in range(215296):
            PaddedInput_8[i] = T.if_then_else(i < 200704, data[i], T.int16(0))
        for p in T.parallel(3136):
            dummy_allocate = T.decl_buffer((1,), "int32")
            for o in range(3):
                Conv2dOutput_8 = T.decl_buffer((64,), "int32")
                for c in range(64):
                    Conv2dOutput_8[c] = o
                    for k in range(3):
                        Conv2dOutput_8[c] = Conv2dOutput_8[c] + T.Cast("int32", PaddedInput_8[p * 68 + k])
                for c in range(64):
                    out[p * 192 + o * 64 + c] = T.Cast("uint8", T.bitwise_and(Conv2dOutput_8[c], 255))

    @T.prim_func
    def __tvm_main__(input: T.Buffer((200704,), "int16"), output: T.Buffer((602112,), "uint8")):
        T.func_attr({"global_symbol": "tvmgen_default___tvm_main__", "runner_function": T.bool(True)})
        T.call_extern("int32", "conv", input.data, output.data)
