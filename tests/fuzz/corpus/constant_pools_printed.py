metadata = tvm.ir.load_json("""{
  \"root\": 1, 
  \"nodes\": [
    {
      \"type_key\": \"\"
    }, 
    {
      \"type_key\": \"Map\", 
      \"keys\": [
        \"runtime.NDArray\"
      ], 
      \"data\": [2]
    }, 
    {
      \"type_key\": \"Array\", 
      \"data\": [3]
    }, 
    {
      \"type_key\": \"runtime.NDArray\", 
      \"repr_str\": \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAAIAQADAAAAAAAAAAMAAAAAAAAAAQID\"
    }
  ], 
  \"b64ndarrays\": [], 
  \"attrs\": {\"tvm_version\": \"0.15.0\"}
}""")
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((3,), "int8"), global_const_workspace_0_var: T.handle("uint8", "global")):
        T.func_attr({"pool_args": [I.AllocatedPoolInfo(pool_info=I.ConstantPoolInfo([I.ConstantInfo("c_let", byte_offset=0, data=metadata["runtime.NDArray"][0])]), allocated_size=3)]})
        global_const_workspace_0_buffer_var = T.match_buffer(global_const_workspace_0_var, (3,), "uint8", strides=(1,), align=16)
        c_let: T.handle("int8") = T.address_of(global_const_workspace_0_buffer_var[0])
        for i in range(3):
            c_1 = T.Buffer((3,), "int8", data=c_let)
            A[i] = c_1[i]
