metadata = tvm.ir.load_json("""{
  \"root_index\": 8,
  \"nodes\": [
    {
      \"type\": \"ffi.String\",
      \"data\": \"ir.StringImm\"
    },
    {
      \"type\": \"None\"
    },
    {
      \"type\": \"ir.StringType\",
      \"data\": {
        \"span\": 1
      }
    },
    {
      \"type\": \"ffi.String\",
      \"data\": \"a\\nb\"
    },
    {
      \"type\": \"ir.StringImm\",
      \"data\": {
        \"span\": 1,
        \"ty\": 2,
        \"value\": 3
      }
    },
    {
      \"type\": \"ir.StringType\",
      \"data\": {
        \"span\": 1
      }
    },
    {
      \"type\": \"ir.StringImm\",
      \"data\": {
        \"span\": 1,
        \"ty\": 5,
        \"value\": 3
      }
    },
    {
      \"type\": \"ffi.Array\",
      \"data\": [
        4,
        6
      ]
    },
    {
      \"type\": \"ffi.Map\",
      \"data\": [
        0,
        7
      ]
    }
  ],
  \"metadata\": {
    \"tvm_version\": \"0.27.0.post1\"
  }
}""")
# from typing import TypeVar
# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def extents(A_1: T.Buffer((n, "n * T.int64(2)"), "float32", align=16), B_1: T.Buffer(("m", 4), "int32")):
        m = T.int32()
        # with T.sblock("root"):
        for i, j in T.grid(m, 4):
            with T.sblock("s"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(B_1[vi, vj])
                T.writes(B_1[vi, vj])
                B_1[vi, vj] = (B_1[vi, vj] >> 2 & 3) + ~B_1[vi, vj]

    @T.prim_func(s_tir=True)
    def forms(C: T.Buffer((16,), "float32"), D: T.Buffer((16,), "int32")):
        C[0:4] = T.exp(C[T.Ramp(0, 1, 4)])
        D[2] = 1
        with T.attr({"mark": 1}):
            D[1] = D[0]
        E = T.alloc_buffer((2, 16), "int32", strides=(8, 1))
        E[0, 0] = D[0]
        F = D.view(8, 2)
        G = F.view(16)
        G[0] = T.Cast("int32", T.round(C[0]) + T.nearbyint(C[1]))
        p: T.let[T.handle] = T.call_extern(T.handle().ty, "get", metadata["ir.StringImm"][0])
        T.call_extern("int32", "use", p, D.data)
        T.call_extern("int32", "text", metadata["ir.StringImm"][1])
        H = T.alloc_buffer((4,), "int32", elem_offset=8)
