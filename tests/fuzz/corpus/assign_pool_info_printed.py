metadata = tvm.ir.load_json("""{
  \"root\": 1, 
  \"nodes\": [
    {
      \"type_key\": \"\"
    }, 
    {
      \"type_key\": \"Map\", 
      \"keys\": [
        \"ir.WorkspacePoolInfo\"
      ], 
      \"data\": [2]
    }, 
    {
      \"type_key\": \"Array\", 
      \"data\": [3]
    }, 
    {
      \"type_key\": \"ir.WorkspacePoolInfo\", 
      \"attrs\": {
        \"clock_frequency_hz\": \"6\", 
        \"is_internal\": \"1\", 
        \"pool_name\": \"4\", 
        \"read_bandwidth_bytes_per_cycle\": \"7\", 
        \"read_latency_cycles\": \"9\", 
        \"size_hint_bytes\": \"5\", 
        \"write_bandwidth_bytes_per_cycle\": \"8\", 
        \"write_latency_cycles\": \"10\"
      }
    }, 
    {
      \"type_key\": \"runtime.String\", 
      \"repr_str\": \"global_workspace\"
    }, 
    {
      \"type_key\": \"IntImm\", 
      \"attrs\": {
        \"dtype\": \"int32\", 
        \"span\": \"0\", 
        \"value\": \"-1\"
      }
    }, 
    {
      \"type_key\": \"IntImm\", 
      \"attrs\": {
        \"dtype\": \"int32\", 
        \"span\": \"0\", 
        \"value\": \"-1\"
      }
    }, 
    {
      \"type_key\": \"IntImm\", 
      \"attrs\": {
        \"dtype\": \"int32\", 
        \"span\": \"0\", 
        \"value\": \"-1\"
      }
    }, 
    {
      \"type_key\": \"IntImm\", 
      \"attrs\": {
        \"dtype\": \"int32\", 
        \"span\": \"0\", 
        \"value\": \"-1\"
      }
    }, 
    {
      \"type_key\": \"IntImm\", 
      \"attrs\": {
        \"dtype\": \"int32\", 
        \"span\": \"0\", 
        \"value\": \"0\"
      }
    }, 
    {
      \"type_key\": \"IntImm\", 
      \"attrs\": {
        \"dtype\": \"int32\", 
        \"span\": \"0\", 
        \"value\": \"0\"
      }
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
    def a_default(A: T.Buffer((3,), "int8")):
        c = T.allocate_const([1, 2, 3], "int8", [3], annotations={"candidate_memory_pools": [I.ConstantPoolInfo([], clock_frequency_hz=-1, is_internal=True, pool_name="global_const_workspace", read_bandwidth_bytes_per_cycle=-1, read_latency_cycles=0, size_hint_bytes=-1, write_bandwidth_bytes_per_cycle=-1, write_latency_cycles=0)]})
        t = T.allocate([3], "int8", "global", annotations={"candidate_memory_pools": [metadata["ir.WorkspacePoolInfo"][0]]})
        u = T.allocate([3], "int8", "global", annotations={"candidate_memory_pools": ["mine"]})
        for i in range(3):
            t_1 = T.Buffer((3,), "int8", data=t)
            c_1 = T.Buffer((3,), "int8", data=c)
            t_1[i] = c_1[i] + A[i]
            u_1 = T.Buffer((3,), "int8", data=u)
            u_1[i] = t_1[i]
            A[i] = u_1[i]
