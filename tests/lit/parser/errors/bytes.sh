# Texts that no editor would write: bytes that are not text, and texts that end too early. Each is a separate file.
#
# RUN: rm -rf %t && %python %S/Inputs/make_bytes.py %t
#
# RUN: tenon-opt --verify-diagnostics %t/bad/blanks.py
# RUN: tenon-opt --verify-diagnostics %t/bad/byte_order_mark_inside.py
# RUN: tenon-opt --verify-diagnostics %t/bad/byte_order_mark_twice.py
# RUN: tenon-opt --verify-diagnostics %t/bad/carriage_return.py
# RUN: tenon-opt --verify-diagnostics %t/bad/comment_alone.py
# RUN: tenon-opt --verify-diagnostics %t/bad/control_z.py
# RUN: tenon-opt --verify-diagnostics %t/bad/end_assignment.py
# RUN: tenon-opt --verify-diagnostics %t/bad/end_backslash.py
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
# RUN: tenon-opt --verify-diagnostics %t/bad/latin_1_comment.py
# RUN: tenon-opt --verify-diagnostics %t/bad/letter_outside_ascii.py
# RUN: tenon-opt --verify-diagnostics %t/bad/nothing.py
# RUN: tenon-opt --verify-diagnostics %t/bad/nul.py
# RUN: tenon-opt --verify-diagnostics %t/bad/nul_in_comment.py
# RUN: tenon-opt --verify-diagnostics %t/bad/nul_in_string.py
# RUN: tenon-opt --verify-diagnostics %t/bad/quotes_of_a_text_processor.py
# RUN: tenon-opt --verify-diagnostics %t/bad/space_that_is_none.py
# RUN: tenon-opt --verify-diagnostics %t/bad/tab.py
# RUN: tenon-opt --verify-diagnostics %t/bad/tab_behind_spaces.py
# RUN: tenon-opt --verify-diagnostics %t/bad/utf16.py
# RUN: tenon-opt --verify-diagnostics %t/bad/utf8_beyond.py
# RUN: tenon-opt --verify-diagnostics %t/bad/utf8_cut_at_the_end.py
# RUN: tenon-opt --verify-diagnostics %t/bad/utf8_lone.py
# RUN: tenon-opt --verify-diagnostics %t/bad/utf8_overlong.py
# RUN: tenon-opt --verify-diagnostics %t/bad/utf8_surrogate.py
# RUN: tenon-opt --verify-diagnostics %t/bad/windows_string.py
#
# These texts are valid.
# RUN: tenon-opt --verify-roundtrip %t/good/byte_order_mark.py -o %t/out.py
# RUN: tenon-opt --verify-roundtrip %t/good/form_feed.py -o %t/out.py
# RUN: tenon-opt --verify-roundtrip %t/good/letters_in_comments_and_strings.py -o %t/out.py
# RUN: tenon-opt --verify-roundtrip %t/good/no_last_line_end.py -o %t/out.py
# RUN: tenon-opt --verify-roundtrip %t/good/tabs_within_a_line.py -o %t/out.py
# RUN: tenon-opt --verify-roundtrip %t/good/windows.py -o %t/out.py
