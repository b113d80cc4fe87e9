# Bytes that are not text, and characters outside strings and comments. Each is a separate file.
#
# RUN: rm -rf %t && %python %S/Inputs/make_bytes.py %t
#
# RUN: tenon-opt --verify-diagnostics %t/bad/byte_order_mark_inside.py
# RUN: tenon-opt --verify-diagnostics %t/bad/byte_order_mark_twice.py
# RUN: tenon-opt --verify-diagnostics %t/bad/control_z.py
# RUN: tenon-opt --verify-diagnostics %t/bad/latin_1_comment.py
# RUN: tenon-opt --verify-diagnostics %t/bad/letter_outside_ascii.py
# RUN: tenon-opt --verify-diagnostics %t/bad/nul.py
# RUN: tenon-opt --verify-diagnostics %t/bad/nul_in_comment.py
# RUN: tenon-opt --verify-diagnostics %t/bad/nul_in_string.py
# RUN: tenon-opt --verify-diagnostics %t/bad/quotes_of_a_text_processor.py
# RUN: tenon-opt --verify-diagnostics %t/bad/space_that_is_none.py
# RUN: tenon-opt --verify-diagnostics %t/bad/utf16.py
# RUN: tenon-opt --verify-diagnostics %t/bad/utf8_beyond.py
# RUN: tenon-opt --verify-diagnostics %t/bad/utf8_cut_at_the_end.py
# RUN: tenon-opt --verify-diagnostics %t/bad/utf8_lone.py
# RUN: tenon-opt --verify-diagnostics %t/bad/utf8_overlong.py
# RUN: tenon-opt --verify-diagnostics %t/bad/utf8_surrogate.py
