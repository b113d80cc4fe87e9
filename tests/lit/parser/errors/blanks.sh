# Blanks and line ends that no editor would write. Each is a separate file.
#
# RUN: rm -rf %t && %python %S/Inputs/make_bytes.py %t
#
# RUN: tenon-opt --verify-diagnostics %t/bad/blanks.py
# RUN: tenon-opt --verify-diagnostics %t/bad/carriage_return.py
# RUN: tenon-opt --verify-diagnostics %t/bad/comment_alone.py
# RUN: tenon-opt --verify-diagnostics %t/bad/end_backslash.py
# RUN: tenon-opt --verify-diagnostics %t/bad/nothing.py
# RUN: tenon-opt --verify-diagnostics %t/bad/tab.py
# RUN: tenon-opt --verify-diagnostics %t/bad/tab_behind_spaces.py
# RUN: tenon-opt --verify-diagnostics %t/bad/windows_string.py
#
# These texts are valid.
# RUN: tenon-opt --verify-roundtrip %t/good/byte_order_mark.py -o %t/out.py
# RUN: tenon-opt --verify-roundtrip %t/good/form_feed.py -o %t/out.py
# RUN: tenon-opt --verify-roundtrip %t/good/letters_in_comments_and_strings.py -o %t/out.py
# RUN: tenon-opt --verify-roundtrip %t/good/no_last_line_end.py -o %t/out.py
# RUN: tenon-opt --verify-roundtrip %t/good/tabs_within_a_line.py -o %t/out.py
# RUN: tenon-opt --verify-roundtrip %t/good/windows.py -o %t/out.py
