# Constants in the first line, as TVM 0.27 writes it with show_meta=True.
#
# RUN: tenon-opt %s | FileCheck %s

metadata = tvm.ir.load_json("""{
  \"root_index\": 21,
  \"nodes\": [
    {
      \"type\": \"ffi.String\",
      \"data\": \"ir.GenericConst\"
    },
    {
      \"type\": \"None\"
    },
    {
      \"type\": \"ir.PrimType\",
      \"data\": {
        \"span\": 1,
        \"dtype\": \"int64\"
      }
    },
    {
      \"type\": \"int\",
      \"data\": 3
    },
    {
      \"type\": \"ir.IntImm\",
      \"data\": {
        \"span\": 1,
        \"ty\": 2,
        \"value\": 3
      }
    },
    {
      \"type\": \"ffi.Array\",
      \"data\": [
        4
      ]
    },
    {
      \"type\": \"relax.ShapeType\",
      \"data\": {
        \"span\": 1,
        \"values\": 5,
        \"ndim\": 1
      }
    },
    {
      \"type\": \"relax.expr.ShapeExpr\",
      \"data\": {
        \"span\": 1,
        \"ty\": 6,
        \"values\": 5
      }
    },
    {
      \"type\": \"ir.PrimType\",
      \"data\": {
        \"span\": 1,
        \"dtype\": \"float32\"
      }
    },
    {
      \"type\": \"relax.TensorType\",
      \"data\": {
        \"span\": 1,
        \"shape\": 7,
        \"dtype\": 8,
        \"vdevice\": 1,
        \"ndim\": 1
      }
    },
    {
      \"type\": \"ffi.Tensor\",
      \"data\": \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQADAAAAAAAAAAwAAAAAAAAAAACAPwAAAEAAAEBA\"
    },
    {
      \"type\": \"ir.GenericConst\",
      \"data\": {
        \"span\": 1,
        \"ty\": 9,
        \"value\": 10
      }
    },
    {
      \"type\": \"ir.IntImm\",
      \"data\": {
        \"span\": 1,
        \"ty\": 2,
        \"value\": 3
      }
    },
    {
      \"type\": \"ffi.Array\",
      \"data\": [
        12
      ]
    },
    {
      \"type\": \"relax.ShapeType\",
      \"data\": {
        \"span\": 1,
        \"values\": 13,
        \"ndim\": 1
      }
    },
    {
      \"type\": \"relax.expr.ShapeExpr\",
      \"data\": {
        \"span\": 1,
        \"ty\": 14,
        \"values\": 13
      }
    },
    {
      \"type\": \"ir.PrimType\",
      \"data\": {
        \"span\": 1,
        \"dtype\": \"bool\"
      }
    },
    {
      \"type\": \"relax.TensorType\",
      \"data\": {
        \"span\": 1,
        \"shape\": 15,
        \"dtype\": 16,
        \"vdevice\": 1,
        \"ndim\": 1
      }
    },
    {
      \"type\": \"ffi.Tensor\",
      \"data\": \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAYIAQADAAAAAAAAAAMAAAAAAAAAAQAB\"
    },
    {
      \"type\": \"ir.GenericConst\",
      \"data\": {
        \"span\": 1,
        \"ty\": 17,
        \"value\": 18
      }
    },
    {
      \"type\": \"ffi.Array\",
      \"data\": [
        11,
        19
      ]
    },
    {
      \"type\": \"ffi.Map\",
      \"data\": [
        0,
        20
      ]
    }
  ],
  \"metadata\": {
    \"tvm_version\": \"0.27.0.post1\"
  }
}""")
# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def fused_add_where(x: T.Buffer((T.int64(3),), "float32"), param_0: T.Buffer((T.int64(3),), "float32"), param_1: T.Buffer((T.int64(3),), "bool"), T_where_intermediate: T.Buffer((T.int64(3),), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        T_add_intermediate = T.sblock_alloc_buffer((T.int64(3),))
        for ax0 in range(T.int64(3)):
            with T.sblock("T_add"):
                v_ax0 = T.axis.spatial(T.int64(3), ax0)
                T.reads(x[v_ax0], param_0[v_ax0])
                T.writes(T_add_intermediate[v_ax0])
                T_add_intermediate[v_ax0] = x[v_ax0] + param_0[v_ax0]
        for ax0 in range(T.int64(3)):
            with T.sblock("T_where"):
                v_ax0 = T.axis.spatial(T.int64(3), ax0)
                T.reads(param_1[v_ax0], T_add_intermediate[v_ax0], x[v_ax0])
                T.writes(T_where_intermediate[v_ax0])
                T_where_intermediate[v_ax0] = T.Select(T.int64(0) < T.Cast("int64", param_1[v_ax0]), T_add_intermediate[v_ax0], x[v_ax0])

    @R.function
    def main(x: R.Tensor((3,), dtype="float32")) -> R.Tensor((3,), dtype="float32"):
        cls = Module
        with R.dataflow():
            gv = R.call_tir(cls.fused_add_where, (x, metadata["ir.GenericConst"][0], metadata["ir.GenericConst"][1]), out_ty=R.Tensor((3,), dtype="float32"))
            R.output(gv)
        return gv

# CHECK-NOT: metadata
# CHECK: T.allocate_const([1.0, 2.0, 3.0], "float32", [3])
# CHECK: T.allocate_const([True, False, True], "bool", [3])
