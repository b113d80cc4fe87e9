# Limits of the text, and bytes that are not text.
#
# RUN: %python %S/Inputs/make_limits.py indents 101 | not tenon-opt - 2>&1 | FileCheck %s --check-prefix=INDENTS
# INDENTS: error: more than 100 levels of indentation [limit]
# RUN: %python %S/Inputs/make_limits.py indents 99 | tenon-opt - -o %t.out
#
# RUN: %python %S/Inputs/make_limits.py brackets 200 | not tenon-opt - 2>&1 | FileCheck %s --check-prefix=BRACKETS
# BRACKETS: error: more than 200 nested brackets [limit]
# RUN: %python %S/Inputs/make_limits.py brackets 199 | tenon-opt - -o %t.out
#
# RUN: %python %S/Inputs/make_limits.py unary 1001 | not tenon-opt - 2>&1 | FileCheck %s --check-prefix=UNARY
# UNARY: error: more than 1000 unary operators in a row [limit]
# RUN: %python %S/Inputs/make_limits.py unary 1000 | tenon-opt - -o %t.out
#
# A long sum is not deep.
# RUN: %python %S/Inputs/make_limits.py sum 100000 | tenon-opt - -o %t.out
#
# RUN: %python %S/Inputs/make_limits.py nul | not tenon-opt - 2>&1 | FileCheck %s --check-prefix=NUL
# NUL: :3:17: error: NUL byte in the text [encoding]
# RUN: %python %S/Inputs/make_limits.py utf8 | not tenon-opt - 2>&1 | FileCheck %s --check-prefix=UTF8
# UTF8: :3:33: error: byte 0xFF is not valid UTF-8 [encoding]
# RUN: %python %S/Inputs/make_limits.py names 1500 | not tenon-opt - 2>&1 | FileCheck %s --check-prefix=MANY
# MANY: 1500 errors
#
# Each `elif` is printed as an `if` in the previous `else`, so it also is a level.
# RUN: %python %S/Inputs/make_limits.py elifs 99 | not tenon-opt - 2>&1 | FileCheck %s --check-prefix=ELIF
# ELIF: error: more than 100 nested levels (each `elif` is one) [limit]
# ELIF-NOT: error
# RUN: %python %S/Inputs/make_limits.py elifs 98 | tenon-opt --verify-roundtrip - -o %t.out
#
# Short texts that ask for large data.
# RUN: %python %S/Inputs/make_limits.py lists 20000 | not tenon-opt - 2>&1 | FileCheck %s --check-prefix=LISTS
# RUN: %python %S/Inputs/make_limits.py doubled 60 | not tenon-opt - 2>&1 | FileCheck %s --check-prefix=LISTS
# LISTS: error: sums of lists with more than 1000000 elements in a function [limit]
# RUN: %python %S/Inputs/make_limits.py strings 100000 | tenon-opt - -o %t.out
# RUN: %python %S/Inputs/make_limits.py dots 100000 | not tenon-opt - 2>&1 | FileCheck %s --check-prefix=DOTS
# DOTS: error: name of a builtin with more than 1000 characters [limit]
# RUN: %python %S/Inputs/make_limits.py open_definitions 20000 | not tenon-opt - 2>&1 | FileCheck %s --check-prefix=DEFS
# DEFS: :5:16: error: the module has no function `h` [undefined-name]
# RUN: %python %S/Inputs/make_limits.py near_names 20000 | not tenon-opt - 2>&1 | FileCheck %s --check-prefix=NEAR
# NEAR: note: did you mean
# NEAR: 20000 errors
# RUN: %python %S/Inputs/make_limits.py nested_lists 201 | not tenon-opt - 2>&1 | FileCheck %s --check-prefix=NESTED
# NESTED: error: more than 200 nested lists [limit]
