# The metadata line: its JSON, the nodes in it, and their arrays in base64.
# RUN: tenon-opt --verify-diagnostics --split-input-file %s

# Not closed.
# expected-error@+1 at `` {{the metadata is not JSON: expected a value, found the end of the JSON [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [""")

# -----

# Not JSON.
# expected-error@+1 at `` {{the metadata is not JSON: expected `,` or `]`, found the end of the JSON [metadata]}}
metadata = tvm.ir.load_json("""[1, 2""")

# -----

# expected-error@+1 at `` {{the metadata is not JSON: expected a value, found the end of the JSON [metadata]}}
metadata = tvm.ir.load_json("""""")

# -----

# expected-error@+1 at `}` {{the metadata is not JSON: expected a key in double quotes, found `}` [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}], \"nodes\": 3, }""")

# -----

# expected-error@+1 at `[` {{the metadata has no list `nodes`, expected what TVM's save_json writes [metadata]}}
metadata = tvm.ir.load_json("""[]""")

# -----

# expected-error@+1 at `{` {{the metadata has no list `nodes`, expected what TVM's save_json writes [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 0, \"nodes\": 3}""")

# -----

# expected-error@+1 at `{` {{the metadata has no list `nodes`, expected what TVM's save_json writes [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 0}""")

# -----

# expected-error@+1 at `9` {{`root` is not the index of a node of the metadata [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 9, \"nodes\": [{\"type_key\": \"\"}]}""")

# -----

# expected-error@+1 at `\` {{`root` is not the index of a node of the metadata [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": \"0\", \"nodes\": [{\"type_key\": \"\"}]}""")

# -----

# expected-error@+1 at `{` {{`root` is not the index of a node of the metadata [metadata]}}
metadata = tvm.ir.load_json("""{\"nodes\": [{\"type_key\": \"\"}]}""")

# -----

# expected-error@+1 at `{` {{a node of the metadata has no string `type_key` [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 0, \"nodes\": [{\"type\": \"\"}]}""")

# -----

# expected-error@+1 at `3` {{a node of the metadata has no string `type_key` [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 0, \"nodes\": [3]}""")

# -----

# expected-error@+1 at `3` {{`b64ndarrays` is integer, expected an array [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 0, \"nodes\": [{\"type_key\": \"\"}], \"b64ndarrays\": 3}""")

# -----

# The root is not a map of arrays.
# expected-error@+1 at `{` {{the root of the metadata is not a map of arrays [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Array\", \"data\": []}]}""")

# -----

# expected-error@+1 at `7` {{not the index of one of the 2 nodes [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"a\"], \"data\": [7]}]}""")

# -----

# expected-error@+1 at `-` {{not the index of one of the 2 nodes [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"a\"], \"data\": [-1]}]}""")

# -----

# Cycles.
# expected-error@+1 at `{` {{node 1 of the metadata contains itself [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"a\"], \"data\": [1]}]}""")

# -----

# expected-error@+1 at `{` {{node 1 of the metadata contains itself [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"a\"], \"data\": [2]}, {\"type_key\": \"Array\", \"data\": [1]}]}""")

# -----

# expected-error@+1 at `{` {{a map whose numbers of keys and values differ [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"a\", \"b\"], \"data\": [0]}]}""")

# -----

# expected-error@+1 at `3` {{a key is integer, expected a string [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [3], \"data\": [0]}]}""")

# -----

# expected-error@+1 at `3` {{`data` is integer, expected an array [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"x\"], \"data\": [2]}, {\"type_key\": \"Array\", \"data\": 3}]}""")

# -----

# Immediates.
# expected-error@+1 at `{` {{expected a value of `int8`, found `300` [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"x\"], \"data\": [2]}, {\"type_key\": \"Array\", \"data\": [3]}, {\"type_key\": \"IntImm\", \"attrs\": {\"dtype\": \"int8\", \"value\": \"300\"}}]}""")

# -----

# expected-error@+1 at `{` {{IntImm has no string field `value` [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"x\"], \"data\": [2]}, {\"type_key\": \"Array\", \"data\": [3]}, {\"type_key\": \"IntImm\", \"attrs\": {\"dtype\": \"int8\"}}]}""")

# -----

# expected-error@+1 at `{` {{expected a value of `int8`, found `x` [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"x\"], \"data\": [2]}, {\"type_key\": \"Array\", \"data\": [3]}, {\"type_key\": \"FloatImm\", \"attrs\": {\"dtype\": \"int8\", \"value\": \"x\"}}]}""")

# -----

# Pools.
# expected-error@+1 at `\` {{the field `size_hint_bytes` is `x`, not the index of one of the 5 nodes [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"ir.WorkspacePoolInfo\"], \"data\": [2]}, {\"type_key\": \"Array\", \"data\": [3]}, {\"type_key\": \"ir.WorkspacePoolInfo\", \"attrs\": {\"pool_name\": \"4\", \"size_hint_bytes\": \"x\"}}, {\"type_key\": \"runtime.String\", \"repr_str\": \"ws\"}]}""")

# -----

# expected-error@+1 at `4` {{the field `pool_name` is integer, expected a string [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"ir.WorkspacePoolInfo\"], \"data\": [2]}, {\"type_key\": \"Array\", \"data\": [3]}, {\"type_key\": \"ir.WorkspacePoolInfo\", \"attrs\": {\"pool_name\": 4}}]}""")

# -----

# expected-error@+1 at `3` {{`attrs` is integer, expected an object [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"ir.WorkspacePoolInfo\"], \"data\": [2]}, {\"type_key\": \"Array\", \"data\": [3]}, {\"type_key\": \"ir.WorkspacePoolInfo\", \"attrs\": 3}]}""")

# -----

# Base64.
# expected-error@+1 at `\` {{truncated base64: 3 characters are not a multiple of 4 [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"runtime.NDArray\"], \"data\": [2]}, {\"type_key\": \"Array\", \"data\": [3]}, {\"type_key\": \"runtime.NDArray\", \"repr_str\": \"AAA\"}]}""")

# -----

# expected-error@+1 at `!` {{invalid base64 character `!` at offset 2 [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"runtime.NDArray\"], \"data\": [2]}, {\"type_key\": \"Array\", \"data\": [3]}, {\"type_key\": \"runtime.NDArray\", \"repr_str\": \"AA!A\"}]}""")

# -----

# expected-error@+1 at `=` {{misplaced base64 padding at offset 2 [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"runtime.NDArray\"], \"data\": [2]}, {\"type_key\": \"Array\", \"data\": [3]}, {\"type_key\": \"runtime.NDArray\", \"repr_str\": \"AA=A\"}]}""")

# -----

# expected-error@+1 at `=` {{misplaced base64 padding at offset 0 [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"runtime.NDArray\"], \"data\": [2]}, {\"type_key\": \"Array\", \"data\": [3]}, {\"type_key\": \"runtime.NDArray\", \"repr_str\": \"=====\"}]}""")

# -----

# expected-error@+1 at `\` {{NDArray blob has 0 of 3 bytes of data [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"runtime.NDArray\"], \"data\": [2]}, {\"type_key\": \"Array\", \"data\": [3]}, {\"type_key\": \"runtime.NDArray\", \"repr_str\": \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAAIAQADAAAAAAAAAAMAAAAAAAAA\"}]}""")

# -----

# NDArray blobs: a truncated header, a wrong magic, wrong sizes, invalid dtypes.
# expected-error@+1 at `\` {{NDArray blob of 3 bytes ends within its header [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"runtime.NDArray\"], \"data\": [2]}, {\"type_key\": \"Array\", \"data\": [3]}, {\"type_key\": \"runtime.NDArray\", \"repr_str\": \"AAAA\"}]}""")

# -----

# expected-error@+1 at `\` {{NDArray blob starts with 0x0000000000000001, expected 0xdd5e40f096b4a13f [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"runtime.NDArray\"], \"data\": [2]}, {\"type_key\": \"Array\", \"data\": [3]}, {\"type_key\": \"runtime.NDArray\", \"repr_str\": \"AQAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAQAAAAAIAQADAAAAAAAAAAMAAAAAAAAAAQID\"}]}""")

# -----

# expected-error@+1 at `\` {{NDArray blob of 51 bytes ends within its shape of 1000000000 extents [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"runtime.NDArray\"], \"data\": [2]}, {\"type_key\": \"Array\", \"data\": [3]}, {\"type_key\": \"runtime.NDArray\", \"repr_str\": \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAMqaOwAIAQADAAAAAAAAAAMAAAAAAAAAAQID\"}]}""")

# -----

# expected-error@+1 at `\` {{NDArray blob has -1 dimensions [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"runtime.NDArray\"], \"data\": [2]}, {\"type_key\": \"Array\", \"data\": [3]}, {\"type_key\": \"runtime.NDArray\", \"repr_str\": \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAA/////wAIAQADAAAAAAAAAAMAAAAAAAAAAQID\"}]}""")

# -----

# expected-error@+1 at `\` {{NDArray blob says that int8 [4294967296] takes 3 bytes, expected 4294967296 [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"runtime.NDArray\"], \"data\": [2]}, {\"type_key\": \"Array\", \"data\": [3]}, {\"type_key\": \"runtime.NDArray\", \"repr_str\": \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAAIAQAAAAAAAQAAAAMAAAAAAAAAAQID\"}]}""")

# -----

# expected-error@+1 at `\` {{NDArray blob has the impossible shape [-3] [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"runtime.NDArray\"], \"data\": [2]}, {\"type_key\": \"Array\", \"data\": [3]}, {\"type_key\": \"runtime.NDArray\", \"repr_str\": \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAAIAQD9/////////wMAAAAAAAAAAQID\"}]}""")

# -----

# expected-error@+1 at `\` {{NDArray blob has the impossible shape [4611686018427387904, 4] [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"runtime.NDArray\"], \"data\": [2]}, {\"type_key\": \"Array\", \"data\": [3]}, {\"type_key\": \"runtime.NDArray\", \"repr_str\": \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAAAIAQAAAAAAAAAAQAQAAAAAAAAAAwAAAAAAAAABAgM=\"}]}""")

# -----

# expected-error@+1 at `\` {{NDArray blob says that int8 [3] takes 1099511627776 bytes, expected 3 [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"runtime.NDArray\"], \"data\": [2]}, {\"type_key\": \"Array\", \"data\": [3]}, {\"type_key\": \"runtime.NDArray\", \"repr_str\": \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAAIAQADAAAAAAAAAAAAAAAAAQAAAQID\"}]}""")

# -----

# expected-error@+1 at `\` {{NDArray blob says that int8 [3] takes 2 bytes, expected 3 [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"runtime.NDArray\"], \"data\": [2]}, {\"type_key\": \"Array\", \"data\": [3]}, {\"type_key\": \"runtime.NDArray\", \"repr_str\": \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAAIAQADAAAAAAAAAAIAAAAAAAAAAQID\"}]}""")

# -----

# expected-error@+1 at `\` {{NDArray blob says that int8 [3] takes 4 bytes, expected 3 [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"runtime.NDArray\"], \"data\": [2]}, {\"type_key\": \"Array\", \"data\": [3]}, {\"type_key\": \"runtime.NDArray\", \"repr_str\": \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAAIAQADAAAAAAAAAAQAAAAAAAAAAQIDBA==\"}]}""")

# -----

# expected-error@+1 at `\` {{NDArray blob has the unknown type code 77 with 8 bits [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"runtime.NDArray\"], \"data\": [2]}, {\"type_key\": \"Array\", \"data\": [3]}, {\"type_key\": \"runtime.NDArray\", \"repr_str\": \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAE0IAQADAAAAAAAAAAMAAAAAAAAAAQID\"}]}""")

# -----

# expected-error@+1 at `\` {{NDArray blob has the unknown type code 0 with 0 bits [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"runtime.NDArray\"], \"data\": [2]}, {\"type_key\": \"Array\", \"data\": [3]}, {\"type_key\": \"runtime.NDArray\", \"repr_str\": \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAAAAQADAAAAAAAAAAMAAAAAAAAAAQID\"}]}""")

# -----

# expected-error@+1 at `\` {{NDArray blob has elements of 0 lanes, expected 1 [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"runtime.NDArray\"], \"data\": [2]}, {\"type_key\": \"Array\", \"data\": [3]}, {\"type_key\": \"runtime.NDArray\", \"repr_str\": \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAAIAAADAAAAAAAAAAMAAAAAAAAAAQID\"}]}""")

# -----

# expected-error@+1 at `\` {{an array of bool with a byte that is neither 0 nor 1 [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"runtime.NDArray\"], \"data\": [2]}, {\"type_key\": \"Array\", \"data\": [3]}, {\"type_key\": \"runtime.NDArray\", \"repr_str\": \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAEBAQADAAAAAAAAAAMAAAAAAAAAAQID\"}]}""")

# -----

# expected-error@+1 at `\` {{`attrs` is string, expected an object [metadata]}}
metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"runtime.NDArray\"], \"data\": [2]}, {\"type_key\": \"Array\", \"data\": [3]}, {\"type_key\": \"runtime.NDArray\", \"attrs\": \"3\"}]}""")

# -----

# expected-error@+1 at `3` {{found `3`, expected `tvm.ir.load_json(` [syntax]}}
metadata = 3

@T.prim_func
def f(n: T.int32):
    # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
    T.evaluate(m)

# -----

# expected-error@+2 at `{` {{the metadata has no list `nodes`, expected what TVM's save_json writes [metadata]}}
# expected-error@+1 at `(` {{`(` is not closed [syntax]}}
metadata = tvm.ir.load_json("{}"

@T.prim_func
def f(n: T.int32):
    # expected-error@+1 at `m` {{`m` is not defined here [undefined-name]}}
    T.evaluate(m)

# -----

# expected-error@+1 at `f"""{}"""` {{found `f"""{}"""`, expected the text of the metadata without a prefix [syntax]}}
metadata = tvm.ir.load_json(f"""{}""")
# expected-error@+1 at `)` {{found `)`, expected the text of the metadata [syntax]}}
metadata = tvm.ir.load_json()

# -----

metadata = tvm.ir.load_json("""{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": \"Map\", \"keys\": [\"x\"], \"data\": [2]}, {\"type_key\": \"Array\", \"data\": [3]}, {\"type_key\": \"IntImm\", \"attrs\": {\"dtype\": \"int8\", \"value\": \"3\"}}]}""")

@T.prim_func
def beyond_the_table(n: T.int32):
    # expected-error@+3 at `1` {{the metadata has no object 1 of `x` [metadata]}}
    # expected-error@+2 at `-1` {{the metadata has no object -1 of `x` [metadata]}}
    # expected-error@+1 at `9223372036854775807` {{the metadata has no object 9223372036854775807 of `x` [metadata]}}
    T.func_attr({"a": metadata["x"][0], "b": metadata["x"][1], "c": metadata["x"][-1], "d": metadata["x"][9223372036854775807]})
    T.evaluate(n)
