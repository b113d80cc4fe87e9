# The spellings of constants.
# RUN: tenon-opt %s --split-input-file | FileCheck %s --strict-whitespace
# RUN: tenon-opt %s --split-input-file | tenon-opt - --split-input-file | FileCheck %s --strict-whitespace
# RUN: tenon-opt --verify-roundtrip --split-input-file %s -o %t

# CHECK: @I.ir_module
# CHECK-NEXT: class Module:
# CHECK-NEXT:     I.module_attrs({"tenon.constants": [I.constant("w0", [1, 2, 3], "int8", [3], align=16, section=".rodata.w"), I.constant("w1", [1.5, 2.0, 3.0, 1e-05], "float32", [2, 2], pools=["flash", "ram"]), I.constant("w2", I.slice("w1", 4), "float32", [2]), I.constant("w3", I.splat(-1), "int32", [64]), I.constant("w4", I.hash("xxh3:0123456789abcdef0123456789abcdef"), "int8", [4096]), I.constant("w5", [True, False], "bool", [2]), I.constant("w6", [1.0, -0.0, 65500.0], "float16", [3]), I.constant("w7", I.slice("w4", 8), "int8", [16])]})
# CHECK-NEXT:     @T.prim_func
# CHECK-NEXT:     def main(A: T.Buffer((3,), "int8")):
# CHECK-NEXT:         c = T.allocate_const(I.constant("w0"), "int8", [3])
# CHECK-NEXT:         C = T.Buffer((3,), "int8", data=c)
# CHECK-NEXT:         A[0] = C[0]

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        I.constant("w0", [1, 2, 3], "int8", [3], align=16, section=".rodata.w"),
        I.constant("w1", [[1.5, 2], [3, 1e-05]], "float32", [2, 2], pools=["flash", "ram"]),
        I.constant("w2", I.slice("w1", 4), "float32", [2]),
        I.constant("w3", I.splat(-1), "int32", [64]),
        I.constant("w4", I.hash("xxh3:0123456789abcdef0123456789abcdef"), "int8", [4096]),
        I.constant("w5", [True, False], "bool", [2]),
        I.constant("w6", [1.0, -0.0, 65504.0], "float16", [3]),
        I.constant("w7", I.slice("w4", 8), "int8", [16])]})

    @T.prim_func
    def main(A: T.Buffer((3,), "int8")):
        c = T.allocate_const(I.constant("w0"), "int8", [3])
        C = T.Buffer((3,), "int8", data=c)
        A[0] = C[0]

# -----

# CHECK: @I.ir_module
# CHECK-NEXT: class Module:
# CHECK-NEXT:     I.module_attrs({"tenon.constants": [I.constant("p0", [1, 2], "int8", [2])]})
# CHECK-NEXT:     @T.prim_func
# CHECK-NEXT:     def main(A: T.Buffer((2,), "int8")):
# CHECK-NEXT:         T.func_attr({"link_params": {"p0": I.constant("p0")}})
# CHECK-NEXT:         p: T.handle("int8") = T.lookup_param("p0")
# CHECK-NEXT:         P = T.Buffer((2,), "int8", data=p)
# CHECK-NEXT:         A[0] = P[0]

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("p0", [1, 2], "int8", [2])]})

    @T.prim_func
    def main(A: T.Buffer((2,), "int8")):
        T.func_attr({"link_params": {"p0": I.constant("p0")}})
        p: T.handle("int8") = T.lookup_param("p0")
        P = T.Buffer((2,), "int8", data=p)
        A[0] = P[0]

# -----

# CHECK: @I.ir_module
# CHECK-NEXT: class Module:
# CHECK-NEXT:     I.module_attrs({"tenon.constants": [I.constant("p0", [1, 2], "int8", [2])]})
# CHECK-NEXT:     @T.prim_func
# CHECK-NEXT:     def main(A: T.Buffer((2,), "int8"), p0: T.handle("int8")):
# CHECK-NEXT:         T.func_attr({"link_params": {p0: I.constant("p0")}})
# CHECK-NEXT:         P = T.Buffer((2,), "int8", data=p0)
# CHECK-NEXT:         A[0] = P[0]

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [I.constant("p0", [1, 2], "int8", [2])]})

    @T.prim_func
    def main(A: T.Buffer((2,), "int8"), p0: T.handle("int8")):
        T.func_attr({"link_params": {p0: I.constant("p0")}})
        P = T.Buffer((2,), "int8", data=p0)
        A[0] = P[0]

# -----

# CHECK: @T.prim_func
# CHECK-NEXT: def lists(A: T.Buffer((6,), "int8")):
# CHECK-NEXT:     a = T.allocate_const([1, 2, 3, 4, 5, 6], "int8", [2, 3])
# CHECK-NEXT:     b = T.allocate_const([1, 2, 3, 4, 5, 6], "int8", [2, 3])
# CHECK-NEXT:     c = T.allocate_const([], "int8", [0])
# CHECK-NEXT:     with T.allocate_const([7], "int8", [1], annotations={"k": 1}) as d:
# CHECK-NEXT:         D = T.Buffer((1,), "int8", data=d)
# CHECK-NEXT:         A[0] = D[0]
# CHECK-NEXT:     B = T.Buffer((6,), "int8", data=b)
# CHECK-NEXT:     A[1] = B[1]

@T.prim_func
def lists(A: T.Buffer((6,), "int8")):
    a = T.allocate_const([1, 2, 3, 4, 5, 6], "int8", [2, 3])
    b = T.allocate_const([[1, 2, 3], [4, 5, 6]], "int8", [2, 3])
    c = T.allocate_const([], "int8", [0])
    with T.allocate_const([7], "int8", [1], annotations={"k": 1}) as d:
        D = T.Buffer((1,), "int8", data=d)
        A[0] = D[0]
    B = T.Buffer((6,), "int8", data=b)
    A[1] = B[1]
