# RUN: tenon-opt --verify-roundtrip %s | FileCheck %s

# Texts of several lines that TVM put into the metadata.

metadata = tvm.ir.load_json("""{
  \"root\": 1, 
  \"nodes\": [
    {
      \"type_key\": \"\"
    }, 
    {
      \"type_key\": \"Map\", 
      \"keys\": [
        \"runtime.String\", 
        \"tir.StringImm\"
      ], 
      \"data\": [2, 4]
    }, 
    {
      \"type_key\": \"Array\", 
      \"data\": [3]
    }, 
    {
      \"type_key\": \"runtime.String\", 
      \"repr_b64\": \"YQpi\"
    }, 
    {
      \"type_key\": \"Array\", 
      \"data\": [5]
    }, 
    {
      \"type_key\": \"tir.StringImm\", 
      \"attrs\": {
        \"dtype\": \"handle\", 
        \"span\": \"0\", 
        \"value\": \"3\"
      }
    }
  ], 
  \"b64ndarrays\": [], 
  \"attrs\": {\"tvm_version\": \"0.18.0\"}
}""")
# from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "float32")):
    # CHECK: T.func_attr({"text": metadata["runtime.String"][0]})
    T.func_attr({"text": metadata["runtime.String"][0]})
    # CHECK: assert A[0] < T.float32(1), metadata["tir.StringImm"][{{[01]}}]
    assert A[0] < T.float32(1), metadata["tir.StringImm"][0]
    # CHECK: T.call_extern("int32", "f", metadata["tir.StringImm"][{{[01]}}])
    T.call_extern("int32", "f", metadata["tir.StringImm"][0])
