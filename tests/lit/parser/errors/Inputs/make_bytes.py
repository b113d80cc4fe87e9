"""Writes texts that no editor would: each to a file of its own, with what is expected of it in a comment."""

import os
import sys

HEAD = b"@T.prim_func\ndef f(n: T.int32):\n"


def expect(message: str, place: str = "@+1") -> bytes:
    return f"    # expected-error{place} {{{{{message}}}}}\n".encode()


def body(line: bytes, message: str, end: bytes = b"\n") -> bytes:
    return HEAD + expect(message) + line + end


# Possible ends of a text without a line end, which once put the parser into an endless loop.
NOT_CLOSED = {
    "parenthesis": (b"    T.evaluate(n", "`(` is not closed"),
    "bracket": (b"    x = [n", "`[` is not closed"),
    "brace": (b'    T.func_attr({"a": 1', "`{` is not closed"),
    "comma": (b"    T.evaluate(n,", "`(` is not closed"),
    "operator": (b"    T.evaluate(n +", "`(` is not closed"),
    "dot": (b"    T.evaluate(n.", "`(` is not closed"),
    "subscript": (b"    x = n[", "`[` is not closed"),
    "list_of_constants": (b"    c = T.allocate_const([1, 2", "`[` is not closed"),
    "string": (b'    T.evaluate("abc', "string is not closed"),
    "string_escape": (b'    T.evaluate("abc\\', "string is not closed"),
    "long_string": (b'    """abc', "string is not closed"),
    "long_string_two_quotes": (b'    """abc""', "string is not closed"),
    "assignment": (b"    x =", "found end of line, expected an expression"),
    "header": (b"    for i in range(n)", "found end of line, expected `:`"),
    "colon": (b"    for i in range(n):", "expected an indented block"),
    "with": (b"    with T.attr(0, \"k\", 1) as", "found end of line, expected a name after `as`"),
    "call_of_t": (b"    T.", "found end of line, expected a name after `.`"),
    "backslash": (b"    T.evaluate(n) \\", "stray character `\\`"),
    "bad_closer": (b"    T.evaluate(n]", "`]` does not close `(`"),
    "decorator": (b"    @", "found end of line, expected an expression"),
}

BYTES = {
    "nul": body(b"    T.evaluate(n\0)", "NUL byte in the text [encoding]"),
    "nul_in_string": body(b'    T.call_extern("int32", "a\0b")', "NUL byte in the text [encoding]"),
    "nul_in_comment": body(b"    T.evaluate(n)  # a\0", "NUL byte in the text [encoding]"),
    "utf8_lone": body(b'    T.call_extern("int32", "\x80")', "byte 0x80 is not valid UTF-8"),
    "utf8_overlong": body(b'    T.call_extern("int32", "\xc0\xaf")', "byte 0xC0 is not valid UTF-8"),
    "utf8_surrogate": body(b'    T.call_extern("int32", "\xed\xa0\x80")', "byte 0xED is not valid UTF-8"),
    "utf8_beyond": body(b'    T.call_extern("int32", "\xf4\x90\x80\x80")', "byte 0xF4 is not valid UTF-8"),
    "utf8_cut_at_the_end": HEAD + expect("byte 0xE2 is not valid UTF-8") + b"    # \xe2\x82",
    "latin_1_comment": body(b"    T.evaluate(n)  # na\xefve", "byte 0xEF is not valid UTF-8"),
    "letter_outside_ascii": body("    T.evaluate(\u00e9)".encode(),
                                 "character outside ASCII, which only strings and comments may hold [syntax]"),
    "quotes_of_a_text_processor": body(
        "    T.call_extern(\u201cint32\u201d)".encode(), "character outside ASCII"),
    "space_that_is_none": body("    T.evaluate(\u00a0n)".encode(), "character outside ASCII"),
    "byte_order_mark_inside": body(b"    \xef\xbb\xbfT.evaluate(n)", "character outside ASCII"),
    "byte_order_mark_twice": b"\xef\xbb\xbf\xef\xbb\xbf# expected-error {{character outside ASCII}}\n" + HEAD
                             + b"    T.evaluate(n)\n",
    "utf16": b"\xff\xfe# expected-error {{byte 0xFF is not valid UTF-8}}\n",
    "control_z": body(b"    T.evaluate(n)\x1a", "stray character"),
    "carriage_return": body(b"    T.evaluate(n)\r    T.evaluate(n)", "stray character"),
    "tab": body(b"\tT.evaluate(n)", "tab in the indentation, expected spaces [indentation]"),
    "tab_behind_spaces": body(b"    \tT.evaluate(n)", "tab in the indentation"),
    "windows_string": HEAD + b"    # expected-error@+1 {{string is not closed}}\r\n" + b'    T.evaluate("a)\r\n',
    "nothing": b"# expected-error@+1 {{expected a module or a function, found neither}}\n",
    "blanks": b"    \n  \n# expected-error@+1 {{expected a module or a function, found neither}}\n",
    "comment_alone": b"# expected-error {{expected a module or a function, found neither}}",
}

GOOD = {
    "byte_order_mark": b"\xef\xbb\xbf" + HEAD + b"    T.evaluate(n)\n",
    "windows": (HEAD + b"    T.evaluate(\n        n)\n").replace(b"\n", b"\r\n"),
    "tabs_within_a_line": HEAD + b"    T.evaluate(\tn\t)\t# comment\n",
    "form_feed": b"\x0c" + HEAD + b"    T.evaluate(n)\n",
    "no_last_line_end": HEAD + b"    T.evaluate(n)",
    "letters_in_comments_and_strings": HEAD + '    T.call_extern("int32", "\u00e9\U0001f600")  # \u00fc\n'.encode(),
}


def main() -> None:
    folder = sys.argv[1]
    for group, files in (("bad", BYTES), ("good", GOOD)):
        os.makedirs(os.path.join(folder, group), exist_ok=True)
        for name, content in files.items():
            with open(os.path.join(folder, group, name + ".py"), "wb") as file:
                file.write(content)
    for name, (line, message) in NOT_CLOSED.items():
        with open(os.path.join(folder, "bad", "end_" + name + ".py"), "wb") as file:
            file.write(body(line, message, end=b""))


main()
