# Every node with all its fields, and the table of constants with their hashes. Nodes that occur twice
# have numbers.
#
# RUN: tenon-opt --print-generic %s | FileCheck %s
# RUN: tenon-opt %s | FileCheck %s --check-prefix=TEXT
# RUN: tenon-opt %s | tenon-opt --verify-roundtrip > /dev/null

# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("w", [1, 2, 3, 4], "int8", [2, 2])], "n": 3})
    I.module_global_infos({"vdevice": [I.dummy_global_info()]})
    @T.prim_func(private=True)
    def g(a: T.handle("float32", "global"), n: T.int32):
        T.evaluate(0)

    @T.prim_func
    def main(A: T.Buffer((4,), "float32"), n: T.int64):
        w = T.allocate_const(I.constant("w"), "int8", [2, 2])
        B = T.Buffer((2, 2), "int8", data=w)
        c = T.allocate_const([0.5, 1.5], "float32", [2])
        C = T.Buffer((2,), data=c)
        for i in range(2):
            with T.block("b"):
                v = T.axis.spatial(2, i)
                A[v] = T.exp(C[v]) * T.float32(0.5) + T.Cast("float32", B[v, 0])
        if n < T.int64(3) and n > T.int64(0):
            A[0] = T.float32("inf")
        Module.g(A.data, 3)
        T.call_extern("void", "f", "text\n", T.bool(True))

# CHECK:      module "Module"
# CHECK-NEXT: attrs MapAttr(items=[MapItem(key=StringAttr(value="n"), value=IntAttr(value=3))])
# CHECK-NEXT: global_infos MapAttr(items=[MapItem(key=StringAttr(value="vdevice"),
# CHECK-NEXT: constant ConstantAttr(value=constant("w", int8, [2, 2], xxh3:[[HASH:[0-9a-f]+]]))
# CHECK-NEXT: function "g" PrimFunc(def params=[%0=Var:handle(name="a", type=pointer<float32, "global">),
# CHECK-NEXT: Evaluate(value=IntImm:int32(value=0)))
# CHECK-NEXT: function "main"
# CHECK:      AllocateConst(dtype=int8, {{.*}} data=constant("w", int8, [2, 2], xxh3:[[HASH]]), annotations=null, def buffer_var=[[W:%[0-9]+]]=Var
# CHECK:      AllocateConst(dtype=float32, {{.*}} data=constant(float32, [2], xxh3:
# CHECK:      def loop_var=[[I:%[0-9]+]]=Var:int32(name="i", type=int32)
# CHECK:      BlockRealize(iter_values={{\[}}[[I]]{{\]}}, predicate=IntImm:bool(value=1)
# CHECK:      Buffer(name="B", data=[[W]], dtype=int8
# CHECK:      b=FloatImm:float32(value=0.5)
# CHECK:      value=FloatImm:float32(value="inf")
# CHECK:      Call:void(op=function, callee="g", args=
# CHECK:      Call:void(op=call_extern, callee="", args=[StringImm:handle(value="f"), StringImm:handle(value="text\n"), IntImm:bool(value=1)])

# TEXT:      I.module_attrs({"tenon.constants": [I.constant("w", [1, 2, 3, 4], "int8", [2, 2])], "n": 3})
# TEXT-NEXT: I.module_global_infos({"vdevice": [I.dummy_global_info()]})
