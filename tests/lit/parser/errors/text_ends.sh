# Texts that end too early. Each is a separate file.
#
# RUN: rm -rf %t && %python %S/Inputs/make_bytes.py %t
#
# RUN: tenon-opt --verify-diagnostics %t/bad/end_assignment.py
# RUN: tenon-opt --verify-diagnostics %t/bad/end_bad_closer.py
# RUN: tenon-opt --verify-diagnostics %t/bad/end_brace.py
# RUN: tenon-opt --verify-diagnostics %t/bad/end_bracket.py
# RUN: tenon-opt --verify-diagnostics %t/bad/end_call_of_t.py
# RUN: tenon-opt --verify-diagnostics %t/bad/end_colon.py
# RUN: tenon-opt --verify-diagnostics %t/bad/end_comma.py
# RUN: tenon-opt --verify-diagnostics %t/bad/end_decorator.py
# RUN: tenon-opt --verify-diagnostics %t/bad/end_dot.py
# RUN: tenon-opt --verify-diagnostics %t/bad/end_header.py
# RUN: tenon-opt --verify-diagnostics %t/bad/end_list_of_constants.py
# RUN: tenon-opt --verify-diagnostics %t/bad/end_long_string.py
# RUN: tenon-opt --verify-diagnostics %t/bad/end_long_string_two_quotes.py
# RUN: tenon-opt --verify-diagnostics %t/bad/end_operator.py
# RUN: tenon-opt --verify-diagnostics %t/bad/end_parenthesis.py
# RUN: tenon-opt --verify-diagnostics %t/bad/end_string.py
# RUN: tenon-opt --verify-diagnostics %t/bad/end_string_escape.py
# RUN: tenon-opt --verify-diagnostics %t/bad/end_subscript.py
# RUN: tenon-opt --verify-diagnostics %t/bad/end_with.py
