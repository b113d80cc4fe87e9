# Limits of the text, and what is no text at all.
#
# RUN: %python %S/Inputs/make_limits.py indents 101 > %t.py
# RUN: not tenon-opt %t.py 2>&1 | FileCheck %s --check-prefix=INDENTS
# INDENTS: error: more than 100 levels of indentation [limit]
# RUN: %python %S/Inputs/make_limits.py indents 99 > %t.py
# RUN: tenon-opt %t.py -o %t.out
#
# RUN: %python %S/Inputs/make_limits.py brackets 200 > %t.py
# RUN: not tenon-opt %t.py 2>&1 | FileCheck %s --check-prefix=BRACKETS
# BRACKETS: error: more than 200 nested brackets [limit]
# RUN: %python %S/Inputs/make_limits.py brackets 199 > %t.py
# RUN: tenon-opt %t.py -o %t.out
#
# RUN: %python %S/Inputs/make_limits.py unary 1001 > %t.py
# RUN: not tenon-opt %t.py 2>&1 | FileCheck %s --check-prefix=UNARY
# UNARY: error: more than 1000 unary operators in a row [limit]
# RUN: %python %S/Inputs/make_limits.py unary 1000 > %t.py
# RUN: tenon-opt %t.py -o %t.out
#
# A long sum is no deep text.
# RUN: %python %S/Inputs/make_limits.py sum 100000 > %t.py
# RUN: tenon-opt %t.py -o %t.out
#
# RUN: %python %S/Inputs/make_limits.py nul > %t.py
# RUN: not tenon-opt %t.py 2>&1 | FileCheck %s --check-prefix=NUL
# NUL: :3:17: error: NUL byte in the text [encoding]
# RUN: %python %S/Inputs/make_limits.py utf8 > %t.py
# RUN: not tenon-opt %t.py 2>&1 | FileCheck %s --check-prefix=UTF8
# UTF8: :3:33: error: byte 0xFF is not valid UTF-8 [encoding]
# RUN: %python %S/Inputs/make_limits.py outside-ascii > %t.py
# RUN: not tenon-opt %t.py 2>&1 | FileCheck %s --check-prefix=ASCII
# ASCII: error: character outside ASCII, which only strings and comments may hold [syntax]
# RUN: %python %S/Inputs/make_limits.py names 1500 > %t.py
# RUN: not tenon-opt %t.py 2>&1 | FileCheck %s --check-prefix=MANY
# MANY: 1500 errors
# RUN: %python %S/Inputs/make_limits.py windows > %t.py
# RUN: tenon-opt %t.py -o %t.out
