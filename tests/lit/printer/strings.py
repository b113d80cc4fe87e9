# Strings: multi-line strings are objects of the metadata, as in TVM; others are escaped in place.
#
# RUN: tenon-opt --verify-roundtrip %s > %t.1
# RUN: FileCheck --input-file=%t.1 %s
# RUN: tenon-opt %t.1 | diff %t.1 -

# from tvm.script import tir as T

# CHECK: metadata = tvm.ir.load_json("""{
# CHECK: \"runtime.String\"
# CHECK: \"repr_b64\": \"YQoiYiJcLAAuCg==\"
# CHECK: \"type_key\": \"tir.StringImm\",
# CHECK: }""")
@T.prim_func
def main(A: T.Buffer((4,), "float32")):
    # CHECK: T.func_attr({"again": metadata["runtime.String"][0], "lines": metadata["runtime.String"][1], "plain": "tab\tcr\rquote\"'backslash\\nul\x00del\x7Fhigh\xC3\xA9"})
    T.func_attr({"lines": "a\n\"b\"\\,\x00.\n", "again": "c\n", "plain": "tab\tcr\rquote\"'backslash\\nul\x00del\x7Fhigh\xC3\xA9"})
    # CHECK: assert A[0] < T.float32(1), metadata["tir.StringImm"][0]
    assert A[0] < T.float32(1), "too\nlarge"
    # CHECK: T.call_extern("int32", "f", metadata["tir.StringImm"][1], "\t\r\x01\xFF")
    T.call_extern("int32", "f", "two\nlines", "\t\r\x01\xFF")
