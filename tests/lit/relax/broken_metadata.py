# Constants in a graph of TVM 0.27 that is broken: each error is at its place in the text of the graph.
#
# RUN: tenon-opt %s --split-input-file --verify-diagnostics

# expected-error@+1 {{the metadata has no list `nodes` [metadata]}}
metadata = tvm.ir.load_json("""{\"root_index\": 0}""")
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def f(A: T.Buffer((2,), "int32"), B: T.Buffer((2,), "int32"), C: T.Buffer((2,), "int32")):
        for i in range(2):
            C[i] = A[i] + B[i]
    @R.function
    def main(x: R.Tensor((2,), dtype="int32")):
        cls = Module
        lv = R.call_tir(cls.f, (x, metadata["ir.GenericConst"][0]), out_ty=R.Tensor((2,), dtype="int32"))
        return lv

# -----
# expected-error@+1 {{not the index of one of the 5 nodes [metadata]}}
metadata = tvm.ir.load_json("""{\"root_index\": 9, \"nodes\": [{\"type\": \"ffi.String\", \"data\": \"ir.GenericConst\"}, {\"type\": \"ir.GenericConst\", \"data\": {\"value\": 4}}, {\"type\": \"ffi.Array\", \"data\": [1]}, {\"type\": \"ffi.Map\", \"data\": [0, 2]}, {\"type\": \"ffi.Tensor\", \"data\": \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAAgAQACAAAAAAAAAAgAAAAAAAAABQAAAAYAAAA=\"}]}""")
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def f(A: T.Buffer((2,), "int32"), B: T.Buffer((2,), "int32"), C: T.Buffer((2,), "int32")):
        for i in range(2):
            C[i] = A[i] + B[i]
    @R.function
    def main(x: R.Tensor((2,), dtype="int32")):
        cls = Module
        lv = R.call_tir(cls.f, (x, metadata["ir.GenericConst"][0]), out_ty=R.Tensor((2,), dtype="int32"))
        return lv

# -----
# expected-error@+1 {{expected a node of the type `ffi.Map` [metadata]}}
metadata = tvm.ir.load_json("""{\"root_index\": 2, \"nodes\": [{\"type\": \"ffi.String\", \"data\": \"ir.GenericConst\"}, {\"type\": \"ir.GenericConst\", \"data\": {\"value\": 4}}, {\"type\": \"ffi.Array\", \"data\": [1]}, {\"type\": \"ffi.Map\", \"data\": [0, 2]}, {\"type\": \"ffi.Tensor\", \"data\": \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAAgAQACAAAAAAAAAAgAAAAAAAAABQAAAAYAAAA=\"}]}""")
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def f(A: T.Buffer((2,), "int32"), B: T.Buffer((2,), "int32"), C: T.Buffer((2,), "int32")):
        for i in range(2):
            C[i] = A[i] + B[i]
    @R.function
    def main(x: R.Tensor((2,), dtype="int32")):
        cls = Module
        lv = R.call_tir(cls.f, (x, metadata["ir.GenericConst"][0]), out_ty=R.Tensor((2,), dtype="int32"))
        return lv

# -----
# expected-error@+1 {{`root` is not the index of a node of the metadata [metadata]}}
metadata = tvm.ir.load_json("""{\"nodes\": []}""")
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def f(A: T.Buffer((2,), "int32"), B: T.Buffer((2,), "int32"), C: T.Buffer((2,), "int32")):
        for i in range(2):
            C[i] = A[i] + B[i]
    @R.function
    def main(x: R.Tensor((2,), dtype="int32")):
        cls = Module
        lv = R.call_tir(cls.f, (x, metadata["ir.GenericConst"][0]), out_ty=R.Tensor((2,), dtype="int32"))
        return lv

# -----
# expected-error@+1 {{a key of the metadata is not a string [metadata]}}
metadata = tvm.ir.load_json("""{\"root_index\": 3, \"nodes\": [{\"type\": \"int\", \"data\": 3}, {\"type\": \"ir.GenericConst\", \"data\": {\"value\": 4}}, {\"type\": \"ffi.Array\", \"data\": [1]}, {\"type\": \"ffi.Map\", \"data\": [0, 2]}, {\"type\": \"ffi.Tensor\", \"data\": \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAAgAQACAAAAAAAAAAgAAAAAAAAABQAAAAYAAAA=\"}]}""")
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def f(A: T.Buffer((2,), "int32"), B: T.Buffer((2,), "int32"), C: T.Buffer((2,), "int32")):
        for i in range(2):
            C[i] = A[i] + B[i]
    @R.function
    def main(x: R.Tensor((2,), dtype="int32")):
        cls = Module
        lv = R.call_tir(cls.f, (x, metadata["ir.GenericConst"][0]), out_ty=R.Tensor((2,), dtype="int32"))
        return lv

# -----
# expected-error@+1 {{expected a node of the type `ffi.Array` [metadata]}}
metadata = tvm.ir.load_json("""{\"root_index\": 3, \"nodes\": [{\"type\": \"ffi.String\", \"data\": \"ir.GenericConst\"}, {\"type\": \"ir.GenericConst\", \"data\": {\"value\": 4}}, {\"type\": \"ffi.Array\", \"data\": [1]}, {\"type\": \"ffi.Map\", \"data\": [0, 1]}, {\"type\": \"ffi.Tensor\", \"data\": \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAAgAQACAAAAAAAAAAgAAAAAAAAABQAAAAYAAAA=\"}]}""")
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def f(A: T.Buffer((2,), "int32"), B: T.Buffer((2,), "int32"), C: T.Buffer((2,), "int32")):
        for i in range(2):
            C[i] = A[i] + B[i]
    @R.function
    def main(x: R.Tensor((2,), dtype="int32")):
        cls = Module
        lv = R.call_tir(cls.f, (x, metadata["ir.GenericConst"][0]), out_ty=R.Tensor((2,), dtype="int32"))
        return lv

# -----
# expected-error@+1 {{not the index of one of the 5 nodes [metadata]}}
metadata = tvm.ir.load_json("""{\"root_index\": 3, \"nodes\": [{\"type\": \"ffi.String\", \"data\": \"ir.GenericConst\"}, {\"type\": \"ir.GenericConst\", \"data\": {\"value\": 4}}, {\"type\": \"ffi.Array\", \"data\": [-1]}, {\"type\": \"ffi.Map\", \"data\": [0, 2]}, {\"type\": \"ffi.Tensor\", \"data\": \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAAgAQACAAAAAAAAAAgAAAAAAAAABQAAAAYAAAA=\"}]}""")
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def f(A: T.Buffer((2,), "int32"), B: T.Buffer((2,), "int32"), C: T.Buffer((2,), "int32")):
        for i in range(2):
            C[i] = A[i] + B[i]
    @R.function
    def main(x: R.Tensor((2,), dtype="int32")):
        cls = Module
        lv = R.call_tir(cls.f, (x, metadata["ir.GenericConst"][0]), out_ty=R.Tensor((2,), dtype="int32"))
        return lv

# -----
# expected-error@+1 {{not the index of one of the 5 nodes [metadata]}}
metadata = tvm.ir.load_json("""{\"root_index\": 3, \"nodes\": [{\"type\": \"ffi.String\", \"data\": \"ir.GenericConst\"}, {\"type\": \"ir.GenericConst\", \"data\": {\"value\": 4}}, {\"type\": \"ffi.Array\", \"data\": [\"1\"]}, {\"type\": \"ffi.Map\", \"data\": [0, 2]}, {\"type\": \"ffi.Tensor\", \"data\": \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAAgAQACAAAAAAAAAAgAAAAAAAAABQAAAAYAAAA=\"}]}""")
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def f(A: T.Buffer((2,), "int32"), B: T.Buffer((2,), "int32"), C: T.Buffer((2,), "int32")):
        for i in range(2):
            C[i] = A[i] + B[i]
    @R.function
    def main(x: R.Tensor((2,), dtype="int32")):
        cls = Module
        lv = R.call_tir(cls.f, (x, metadata["ir.GenericConst"][0]), out_ty=R.Tensor((2,), dtype="int32"))
        return lv

# -----
# expected-error@+1 {{not the index of one of the 5 nodes [metadata]}}
metadata = tvm.ir.load_json("""{\"root_index\": 3, \"nodes\": [{\"type\": \"ffi.String\", \"data\": \"ir.GenericConst\"}, {\"type\": \"ir.GenericConst\", \"data\": {\"value\": 7}}, {\"type\": \"ffi.Array\", \"data\": [1]}, {\"type\": \"ffi.Map\", \"data\": [0, 2]}, {\"type\": \"ffi.Tensor\", \"data\": \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAAgAQACAAAAAAAAAAgAAAAAAAAABQAAAAYAAAA=\"}]}""")
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def f(A: T.Buffer((2,), "int32"), B: T.Buffer((2,), "int32"), C: T.Buffer((2,), "int32")):
        for i in range(2):
            C[i] = A[i] + B[i]
    @R.function
    def main(x: R.Tensor((2,), dtype="int32")):
        cls = Module
        lv = R.call_tir(cls.f, (x, metadata["ir.GenericConst"][0]), out_ty=R.Tensor((2,), dtype="int32"))
        return lv

# -----
# expected-error@+1 {{a tensor without its data, expected a string of base64 [metadata]}}
metadata = tvm.ir.load_json("""{\"root_index\": 3, \"nodes\": [{\"type\": \"ffi.String\", \"data\": \"ir.GenericConst\"}, {\"type\": \"ir.GenericConst\", \"data\": {\"value\": 4}}, {\"type\": \"ffi.Array\", \"data\": [1]}, {\"type\": \"ffi.Map\", \"data\": [0, 2]}, {\"type\": \"ffi.Tensor\"}]}""")
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def f(A: T.Buffer((2,), "int32"), B: T.Buffer((2,), "int32"), C: T.Buffer((2,), "int32")):
        for i in range(2):
            C[i] = A[i] + B[i]
    @R.function
    def main(x: R.Tensor((2,), dtype="int32")):
        cls = Module
        lv = R.call_tir(cls.f, (x, metadata["ir.GenericConst"][0]), out_ty=R.Tensor((2,), dtype="int32"))
        return lv

# -----
# expected-error@+1 {{a tensor without its data, expected a string of base64 [metadata]}}
metadata = tvm.ir.load_json("""{\"root_index\": 3, \"nodes\": [{\"type\": \"ffi.String\", \"data\": \"ir.GenericConst\"}, {\"type\": \"ir.GenericConst\", \"data\": {\"value\": 4}}, {\"type\": \"ffi.Array\", \"data\": [1]}, {\"type\": \"ffi.Map\", \"data\": [0, 2]}, {\"type\": \"ffi.Tensor\", \"data\": 3}]}""")
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def f(A: T.Buffer((2,), "int32"), B: T.Buffer((2,), "int32"), C: T.Buffer((2,), "int32")):
        for i in range(2):
            C[i] = A[i] + B[i]
    @R.function
    def main(x: R.Tensor((2,), dtype="int32")):
        cls = Module
        lv = R.call_tir(cls.f, (x, metadata["ir.GenericConst"][0]), out_ty=R.Tensor((2,), dtype="int32"))
        return lv

# -----
# expected-error@+1 {{invalid base64 character `$` at offset 2 [metadata]}}
metadata = tvm.ir.load_json("""{\"root_index\": 3, \"nodes\": [{\"type\": \"ffi.String\", \"data\": \"ir.GenericConst\"}, {\"type\": \"ir.GenericConst\", \"data\": {\"value\": 4}}, {\"type\": \"ffi.Array\", \"data\": [1]}, {\"type\": \"ffi.Map\", \"data\": [0, 2]}, {\"type\": \"ffi.Tensor\", \"data\": \"ab$d\"}]}""")
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def f(A: T.Buffer((2,), "int32"), B: T.Buffer((2,), "int32"), C: T.Buffer((2,), "int32")):
        for i in range(2):
            C[i] = A[i] + B[i]
    @R.function
    def main(x: R.Tensor((2,), dtype="int32")):
        cls = Module
        lv = R.call_tir(cls.f, (x, metadata["ir.GenericConst"][0]), out_ty=R.Tensor((2,), dtype="int32"))
        return lv

# -----
# expected-error@+1 {{NDArray blob of 3 bytes ends within its header [metadata]}}
metadata = tvm.ir.load_json("""{\"root_index\": 3, \"nodes\": [{\"type\": \"ffi.String\", \"data\": \"ir.GenericConst\"}, {\"type\": \"ir.GenericConst\", \"data\": {\"value\": 4}}, {\"type\": \"ffi.Array\", \"data\": [1]}, {\"type\": \"ffi.Map\", \"data\": [0, 2]}, {\"type\": \"ffi.Tensor\", \"data\": \"YWJj\"}]}""")
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def f(A: T.Buffer((2,), "int32"), B: T.Buffer((2,), "int32"), C: T.Buffer((2,), "int32")):
        for i in range(2):
            C[i] = A[i] + B[i]
    @R.function
    def main(x: R.Tensor((2,), dtype="int32")):
        cls = Module
        lv = R.call_tir(cls.f, (x, metadata["ir.GenericConst"][0]), out_ty=R.Tensor((2,), dtype="int32"))
        return lv

# -----
# expected-error@+1 {{NDArray blob has the unknown type code 5 with 64 bits [metadata]}}
metadata = tvm.ir.load_json("""{\"root_index\": 3, \"nodes\": [{\"type\": \"ffi.String\", \"data\": \"ir.GenericConst\"}, {\"type\": \"ir.GenericConst\", \"data\": {\"value\": 4}}, {\"type\": \"ffi.Array\", \"data\": [1]}, {\"type\": \"ffi.Map\", \"data\": [0, 2]}, {\"type\": \"ffi.Tensor\", \"data\": \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAVAAQABAAAAAAAAAAgAAAAAAAAAAAAAAAAAAAA=\"}]}""")
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def f(A: T.Buffer((2,), "int32"), B: T.Buffer((2,), "int32"), C: T.Buffer((2,), "int32")):
        for i in range(2):
            C[i] = A[i] + B[i]
    @R.function
    def main(x: R.Tensor((2,), dtype="int32")):
        cls = Module
        lv = R.call_tir(cls.f, (x, metadata["ir.GenericConst"][0]), out_ty=R.Tensor((2,), dtype="int32"))
        return lv

# -----
# expected-error@+1 {{a tensor of bool with a byte that is neither 0 nor 1 [metadata]}}
metadata = tvm.ir.load_json("""{\"root_index\": 3, \"nodes\": [{\"type\": \"ffi.String\", \"data\": \"ir.GenericConst\"}, {\"type\": \"ir.GenericConst\", \"data\": {\"value\": 4}}, {\"type\": \"ffi.Array\", \"data\": [1]}, {\"type\": \"ffi.Map\", \"data\": [0, 2]}, {\"type\": \"ffi.Tensor\", \"data\": \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAYIAQACAAAAAAAAAAIAAAAAAAAAAQI=\"}]}""")
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def f(A: T.Buffer((2,), "int32"), B: T.Buffer((2,), "int32"), C: T.Buffer((2,), "int32")):
        for i in range(2):
            C[i] = A[i] + B[i]
    @R.function
    def main(x: R.Tensor((2,), dtype="int32")):
        cls = Module
        lv = R.call_tir(cls.f, (x, metadata["ir.GenericConst"][0]), out_ty=R.Tensor((2,), dtype="int32"))
        return lv

# -----
# expected-error@+1 {{a tensor of bool with a byte that is neither 0 nor 1 [metadata]}}
metadata = tvm.ir.load_json("""{\"root_index\": 3, \"nodes\": [{\"type\": \"ffi.String\", \"data\": \"ir.GenericConst\"}, {\"type\": \"ir.GenericConst\", \"data\": {\"value\": 4}}, {\"type\": \"ffi.Array\", \"data\": [1]}, {\"type\": \"ffi.Map\", \"data\": [0, 2]}, {\"type\": \"ffi.Tensor\", \"data\": \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAEBAQACAAAAAAAAAAIAAAAAAAAAAQI=\"}]}""")
# from tvm.script import tirx as T
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def f(A: T.Buffer((2,), "int32"), B: T.Buffer((2,), "int32"), C: T.Buffer((2,), "int32")):
        for i in range(2):
            C[i] = A[i] + B[i]
    @R.function
    def main(x: R.Tensor((2,), dtype="int32")):
        cls = Module
        lv = R.call_tir(cls.f, (x, metadata["ir.GenericConst"][0]), out_ty=R.Tensor((2,), dtype="int32"))
        return lv
