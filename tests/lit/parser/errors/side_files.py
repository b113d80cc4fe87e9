# Side files of constants: missing, truncated, or with wrong headers.
# RUN: rm -rf %t && mkdir -p %t && cp %s %t/text.py
# RUN: %python %S/Inputs/make_side_files.py %t
# RUN: cd %t && tenon-opt --verify-diagnostics --split-input-file text.py

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("missing.safetensors", "w")` {{cannot open `missing.safetensors`: No such file or directory [constant-file]}}
        I.constant("w", I.file("missing.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("folder.safetensors", "w")` {{cannot read `folder.safetensors`: Is a directory [constant-file]}}
        I.constant("w", I.file("folder.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("", "w")` {{cannot open ``: No such file or directory [constant-file]}}
        I.constant("w", I.file("", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("empty.safetensors", "w")` {{`empty.safetensors`: 0 bytes are too few for a safetensors file [constant-file]}}
        I.constant("w", I.file("empty.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("short.safetensors", "w")` {{`short.safetensors`: 3 bytes are too few for a safetensors file [constant-file]}}
        I.constant("w", I.file("short.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("length_alone.safetensors", "w")` {{`length_alone.safetensors`: safetensors header does not start with `{` [constant-file]}}
        I.constant("w", I.file("length_alone.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("header_longer_than_file.safetensors", "w")` {{`header_longer_than_file.safetensors`: safetensors header of 1000 bytes in a file with 25 left [constant-file]}}
        I.constant("w", I.file("header_longer_than_file.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("header_of_2_to_63.safetensors", "w")` {{`header_of_2_to_63.safetensors`: safetensors header of 9223372036854775808 bytes is longer than the limit of 100000000 [constant-file]}}
        I.constant("w", I.file("header_of_2_to_63.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("no_object.safetensors", "w")` {{`no_object.safetensors`: safetensors header does not start with `{` [constant-file]}}
        I.constant("w", I.file("no_object.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("no_json.safetensors", "w")` {{`no_json.safetensors`: safetensors header, byte 14 of the file: expected a value, found the end of the JSON [constant-file]}}
        I.constant("w", I.file("no_json.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("deep.safetensors", "w")` {{`deep.safetensors`: safetensors header, byte 21 of the file: more than 8 nested arrays and objects [constant-file]}}
        I.constant("w", I.file("deep.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("no_utf8.safetensors", "w")` {{`no_utf8.safetensors`: safetensors header, byte 11 of the file: expected UTF-8 in the string, found the byte 0xff [constant-file]}}
        I.constant("w", I.file("no_utf8.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("nul.safetensors", "w")` {{`nul.safetensors`: safetensors header, byte 11 of the file: expected an escape such as `\n` in the string, found a control character [constant-file]}}
        I.constant("w", I.file("nul.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("same_name_twice.safetensors", "w")` {{`same_name_twice.safetensors`: safetensors header, byte 71 of the file: duplicate key `w` [constant-file]}}
        I.constant("w", I.file("same_name_twice.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("overlap.safetensors", "w")` {{`overlap.safetensors`: tensor `w` overlaps tensor `a` by 8 bytes [constant-file]}}
        I.constant("w", I.file("overlap.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("hole.safetensors", "w")` {{`hole.safetensors`: tensor `w` follows a hole of 4 bytes [constant-file]}}
        I.constant("w", I.file("hole.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("hole_in_front.safetensors", "w")` {{`hole_in_front.safetensors`: tensor `w` follows a hole of 4 bytes [constant-file]}}
        I.constant("w", I.file("hole_in_front.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("out_of_range.safetensors", "w")` {{`out_of_range.safetensors`: tensor `w` ends at 16, out of range of 8 bytes of data [constant-file]}}
        I.constant("w", I.file("out_of_range.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("far_out_of_range.safetensors", "w")` {{`far_out_of_range.safetensors`: tensor `w` ends at 2305843009213693968, out of range of 16 bytes of data [constant-file]}}
        I.constant("w", I.file("far_out_of_range.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("beyond_62_bits.safetensors", "w")` {{`beyond_62_bits.safetensors`: tensor `w` has a `data_offsets` whose element 1 is not an integer from 0 to below 2^62 [constant-file]}}
        I.constant("w", I.file("beyond_62_bits.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("negative.safetensors", "w")` {{`negative.safetensors`: tensor `w` has a `data_offsets` whose element 0 is not an integer from 0 to below 2^62 [constant-file]}}
        I.constant("w", I.file("negative.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("backwards.safetensors", "w")` {{`backwards.safetensors`: tensor `w` begins at 16, after its end at 0 [constant-file]}}
        I.constant("w", I.file("backwards.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("more_behind.safetensors", "w")` {{`more_behind.safetensors`: 1 bytes after the last tensor [constant-file]}}
        I.constant("w", I.file("more_behind.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("dtype_unknown.safetensors", "w")` {{`dtype_unknown.safetensors`: tensor `w` has the unknown dtype `F33` [constant-file]}}
        I.constant("w", I.file("dtype_unknown.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("dtype_number.safetensors", "w")` {{`dtype_number.safetensors`: tensor `w` has integer as `dtype`, expected a string [constant-file]}}
        I.constant("w", I.file("dtype_number.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("without_dtype.safetensors", "w")` {{`without_dtype.safetensors`: tensor `w` has no `dtype` [constant-file]}}
        I.constant("w", I.file("without_dtype.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("without_shape.safetensors", "w")` {{`without_shape.safetensors`: tensor `w` has no `shape` [constant-file]}}
        I.constant("w", I.file("without_shape.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("without_offsets.safetensors", "w")` {{`without_offsets.safetensors`: tensor `w` has no `data_offsets` [constant-file]}}
        I.constant("w", I.file("without_offsets.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("three_offsets.safetensors", "w")` {{`three_offsets.safetensors`: tensor `w` has 3 `data_offsets`, expected 2 [constant-file]}}
        I.constant("w", I.file("three_offsets.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("shape_of_floats.safetensors", "w")` {{`shape_of_floats.safetensors`: tensor `w` has a `shape` whose element 0 is not an integer from 0 to below 2^62 [constant-file]}}
        I.constant("w", I.file("shape_of_floats.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("shape_too_large.safetensors", "w")` {{`shape_too_large.safetensors`: tensor `w` has the impossible shape [1099511627776, 1099511627776] [constant-file]}}
        I.constant("w", I.file("shape_too_large.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("shape_and_size.safetensors", "w")` {{`shape_and_size.safetensors`: tensor `w` has 16 bytes, but float32 [5] takes 20 [constant-file]}}
        I.constant("w", I.file("shape_and_size.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("tensor_is_list.safetensors", "w")` {{`tensor_is_list.safetensors`: tensor `w` is array, expected an object [constant-file]}}
        I.constant("w", I.file("tensor_is_list.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("metadata_is_list.safetensors", "w")` {{`metadata_is_list.safetensors`: `__metadata__` is array, expected an object of strings [constant-file]}}
        I.constant("w", I.file("metadata_is_list.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("metadata_of_numbers.safetensors", "w")` {{`metadata_of_numbers.safetensors`: `__metadata__` has integer for `a`, expected a string [constant-file]}}
        I.constant("w", I.file("metadata_of_numbers.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("hash_is_none.safetensors", "w")` {{the hash of `w` in hash_is_none.safetensors: a hash is `xxh3:` and 32 hexadecimal digits [constant-file]}}
        I.constant("w", I.file("hash_is_none.safetensors", "w"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("no_bool.safetensors", "w")` {{`w` in no_bool.safetensors has a byte that is neither 0 nor 1, expected bools [constant-file]}}
        I.constant("w", I.file("no_bool.safetensors", "w"), "bool", [16])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("good.safetensors", "v")` {{good.safetensors has no tensor `v` [constant-file]}}
        I.constant("w", I.file("good.safetensors", "v"), "float32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("good.safetensors", "w")` {{`w` in good.safetensors is float32 [4], expected int32 [4] [constant-file]}}
        I.constant("w", I.file("good.safetensors", "w"), "int32", [4])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("good.safetensors", "w")` {{`w` in good.safetensors is float32 [4], expected float32 [5] [constant-file]}}
        I.constant("w", I.file("good.safetensors", "w"), "float32", [5])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("good.safetensors", "w")` {{`w` in good.safetensors is float32 [4], expected float32 [2, 2] [constant-file]}}
        I.constant("w", I.file("good.safetensors", "w"), "float32", [2, 2])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("good.safetensors", "w")` {{`w` in good.safetensors is float32 [4], expected float16 [8] [constant-file]}}
        I.constant("w", I.file("good.safetensors", "w"), "float16", [8])]})

# -----

# A broken file is reported once for each constant, and the rest of the table is read.
@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.file("hole.safetensors", "a")` {{`hole.safetensors`: tensor `w` follows a hole of 4 bytes [constant-file]}}
        I.constant("a", I.file("hole.safetensors", "a"), "float32", [4]),
        I.constant("b", I.file("good.safetensors", "w"), "float32", [4]),
        # expected-error@+1 at `I.file("good.safetensors", "u")` {{good.safetensors has no tensor `u` [constant-file]}}
        I.constant("c", I.file("good.safetensors", "u"), "float32", [4]),
        # expected-error@+1 at `[1, 2]` {{expected 3 elements, found 2; docs/guide/tvm.md shows how to print all, --allow-truncated-constants fills the rest with zeros [truncated-constant]}}
        I.constant("d", [1, 2], "int8", [3])]})

# -----

@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        # expected-error@+1 at `I.constant("w", I.file("hash_of_others.safetensors", "w"), "float32", [4])` {{`w` in hash_of_others.safetensors does not have the hash that the file claims [constant-file]}}
        I.constant("w", I.file("hash_of_others.safetensors", "w"), "float32", [4])]})
