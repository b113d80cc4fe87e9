# The metadata line as TVM writes it since 0.23: a graph of nodes with a type, and tensors in base64.
# RUN: tenon-opt --verify-diagnostics --split-input-file %s

# expected-error@+1 at `{` {{the metadata has no list `nodes`}}
metadata = tvm.ir.load_json("""{\"root_index\": 0}""")

# -----

# expected-error@+1 at `5` {{not the index of one of the 1 nodes}}
metadata = tvm.ir.load_json("""{\"root_index\": 5, \"nodes\": [{\"type\": \"ffi.Map\", \"data\": [1, 2]}]}""")

# -----

# expected-error@+1 at `\` {{not the index of one of the 1 nodes}}
metadata = tvm.ir.load_json("""{\"nodes\": [{\"type\": \"ffi.Map\", \"data\": [1, 2]}], \"root_index\": \"0\"}""")

# -----

# expected-error@+1 at `{` {{expected a node of the type `ffi.Map`}}
metadata = tvm.ir.load_json("""{\"root_index\": 0, \"nodes\": [{\"type\": \"ffi.Array\", \"data\": [1, 2]}]}""")

# -----

# expected-error@+1 at `7` {{not the index of one of the 2 nodes}}
metadata = tvm.ir.load_json("""{\"root_index\": 0, \"nodes\": [{\"type\": \"ffi.Map\", \"data\": [1, 7]}, {\"type\": \"ffi.String\", \"data\": \"a\"}]}""")

# -----

# expected-error@+1 at `{` {{a key of the metadata is not a string}}
metadata = tvm.ir.load_json("""{\"root_index\": 0, \"nodes\": [{\"type\": \"ffi.Map\", \"data\": [1, 2]}, {\"type\": \"ffi.String\", \"data\": 3}, {\"type\": \"ffi.Array\", \"data\": []}]}""")

# -----

# expected-error@+1 at `{` {{expected a node of the type `ffi.Array`}}
metadata = tvm.ir.load_json("""{\"root_index\": 0, \"nodes\": [{\"type\": \"ffi.Map\", \"data\": [1, 2]}, {\"type\": \"ffi.String\", \"data\": \"a\"}, {\"type\": \"ffi.String\", \"data\": \"b\"}]}""")

# -----

# expected-error@+1 at `-` {{not the index of one of the 3 nodes}}
metadata = tvm.ir.load_json("""{\"root_index\": 0, \"nodes\": [{\"type\": \"ffi.Map\", \"data\": [1, 2]}, {\"type\": \"ffi.String\", \"data\": \"a\"}, {\"type\": \"ffi.Array\", \"data\": [-1]}]}""")

# -----

# expected-error@+1 at `{` {{a tensor without its data, expected a string of base64}}
metadata = tvm.ir.load_json("""{\"root_index\": 0, \"nodes\": [{\"type\": \"ffi.Map\", \"data\": [1, 2]}, {\"type\": \"ffi.String\", \"data\": \"ffi.Tensor\"}, {\"type\": \"ffi.Array\", \"data\": [3]}, {\"type\": \"ffi.Tensor\"}]}""")

# -----

# expected-error@+1 at `?` {{invalid base64 character `?` at offset 2}}
metadata = tvm.ir.load_json("""{\"root_index\": 0, \"nodes\": [{\"type\": \"ffi.Map\", \"data\": [1, 2]}, {\"type\": \"ffi.String\", \"data\": \"ffi.Tensor\"}, {\"type\": \"ffi.Array\", \"data\": [3]}, {\"type\": \"ffi.Tensor\", \"data\": \"AB?=\"}]}""")

# -----

# expected-error@+1 at `\` {{NDArray blob of 3 bytes ends within its header}}
metadata = tvm.ir.load_json("""{\"root_index\": 0, \"nodes\": [{\"type\": \"ffi.Map\", \"data\": [1, 2]}, {\"type\": \"ffi.String\", \"data\": \"ffi.Tensor\"}, {\"type\": \"ffi.Array\", \"data\": [3]}, {\"type\": \"ffi.Tensor\", \"data\": \"AAAA\"}]}""")

# -----

# expected-error@+1 at `\` {{a tensor of a type that constants cannot have}}
metadata = tvm.ir.load_json("""{\"root_index\": 0, \"nodes\": [{\"type\": \"ffi.Map\", \"data\": [1, 2]}, {\"type\": \"ffi.String\", \"data\": \"ffi.Tensor\"}, {\"type\": \"ffi.Array\", \"data\": [3]}, {\"type\": \"ffi.Tensor\", \"data\": \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAcIAQABAAAAAAAAAAEAAAAAAAAAAA==\"}]}""")

# -----

# expected-error@+1 at `\` {{a tensor of bool with a byte that is neither 0 nor 1}}
metadata = tvm.ir.load_json("""{\"root_index\": 0, \"nodes\": [{\"type\": \"ffi.Map\", \"data\": [1, 2]}, {\"type\": \"ffi.String\", \"data\": \"ffi.Tensor\"}, {\"type\": \"ffi.Array\", \"data\": [3]}, {\"type\": \"ffi.Tensor\", \"data\": \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAYIAQACAAAAAAAAAAIAAAAAAAAAAQI=\"}]}""")

# -----

# expected-error@+1 at `9` {{not the index of one of the 4 nodes}}
metadata = tvm.ir.load_json("""{\"root_index\": 0, \"nodes\": [{\"type\": \"ffi.Map\", \"data\": [1, 2]}, {\"type\": \"ffi.String\", \"data\": \"ffi.Tensor\"}, {\"type\": \"ffi.Array\", \"data\": [3]}, {\"type\": \"ir.GenericConst\", \"data\": {\"value\": 9}}]}""")
