# RUN: %python %S/Inputs/large_headers.py %t.d && cp %s %t.d/m.py
# RUN: tenon-opt %t.d/m.py --split-input-file --verify-diagnostics
# RUN: rm -rf %t.d

# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("gigabyte.safetensors", "w")` {{safetensors header of 1073741824 bytes is longer than the limit of 100000000 [constant-file]}}
        I.constant("w", I.file("gigabyte.safetensors", "w"), "float32", [4])]})
# -----
@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("terabyte.safetensors", "w")` {{safetensors header of 1099511627776 bytes is longer than the limit of 100000000 [constant-file]}}
        I.constant("w", I.file("terabyte.safetensors", "w"), "float32", [4])]})
# -----
@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("limit.safetensors", "w")` {{byte 13 of the file: expected}}
        I.constant("w", I.file("limit.safetensors", "w"), "float32", [4])]})
# -----
@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("above.safetensors", "w")` {{safetensors header of 100000001 bytes is longer than the limit of 100000000 [constant-file]}}
        I.constant("w", I.file("above.safetensors", "w"), "float32", [4])]})
# -----
# Shapes beyond all limits.
@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 {{the constant has 2^62 bytes or more [limit]}}
        I.constant("w", I.hash("xxh3:00000000000000000000000000000000"), "float32", [4611686018427387904]),
        # expected-error@+1 {{the constant has 2^62 bytes or more [limit]}}
        I.constant("v", I.splat(0), "int8", [2147483648, 2147483648, 4])]})
