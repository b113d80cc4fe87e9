@I.ir_module
class Module:
    # An operator that calls other operators has no loops.
    @T.prim_func
    def composite(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.op": {"kind": "add_relu"}, "tir.noalias": T.bool(True)})
        T.call_extern("int32", "short", x.data, x.data, y.data)

    # Nothing is proven if parameters may overlap.
    @T.prim_func
    def overlapping(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.op": {"kind": "elementwise"}})
        for i in range(4):
            y[i] = x[i] * 3

    # A short claim that holds becomes the complete claim.
    @T.prim_func
    def short(x: T.Buffer((4,), "int32"), z: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
        T.func_attr({"tenon.op": {"kind": "elementwise"}, "tir.noalias": T.bool(True)})
        for i in range(4):
            y[i] = x[i] + z[i]
