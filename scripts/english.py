"""The phrases that no text of this tree uses, and how to find them. docs/internals/style.md has the same list.

Texts are documents, comments, and string literals: messages, help, and emitted code. Code in
backquotes or fenced blocks is not a text, and neither are the directives of lit tests.
"""

import collections
import pathlib
import re

STYLE = "docs/internals/style.md"

# Blanks between two words, also across the end of a line, but not across an empty line.
_GAP = r"(?:[ \t]+|[ \t]*\n[ \t]*)"
_COMPARED = (r"longer|more|less|larger|smaller|greater|fewer|later|earlier|faster|slower|wider|"
             r"better|worse|higher|lower|shorter|matter|doubt")

Phrase = collections.namedtuple("Phrase", "shown instead pattern")


def _phrase(shown, instead, pattern):
    return Phrase(shown, instead, re.compile(pattern.replace(" ", _GAP), re.M))


# The first two columns are a row of the table in docs/internals/style.md.
PHRASES = (
    _phrase("behind", "after, in front of", r"\b[Bb]ehind\b"),
    _phrase("parted by", "separated by", r"\bparted (?:by|from)\b"),
    _phrase("is no X, are no X", "is not an X, are not X",
            rf"(?<!\b[Tt]here\s)\b(?:is|are|was|were) no (?!(?:{_COMPARED})\b)[\w`]"),
    _phrase("is none", "is not one, has none", r"(?<!\b[Tt]here\s)\b(?:is|are|was|were) none\b"),
    _phrase("beside", "next to, in addition to", r"\b[Bb]eside\b"),
    _phrase("less the", "minus the", r"\bless (?:the|its|their|what)\b"),
    _phrase("..., too", "also (before the verb)", r", too\b(?! [a-z])"),
    _phrase("those of which", "repeat the noun", r"\b(?:[Tt]hose|[Tt]hat|[Ss]uch|what) of which\b"),
    _phrase("makes of it, is made of it", "generates, is generated from it",
            r"\b(?:makes?|made|comes?|came) of (?:it|them|that|this)\b"),
    _phrase("came planned", "is already planned", r"\b(?:comes?|came) planned\b"),
    _phrase("but for", "except for", r"\bbut for\b"),
    _phrase("is to be", "must be", r"\b(?:is|are) to be\b"),
    _phrase("one's own", "your own", r"\bone's own\b"),
    _phrase("unless written", "default", r"\bunless written\b"),
    _phrase("likewise", "also, in the same way", r"\b[Ll]ikewise\b"),
    _phrase("anew", "again, or name the step: rebuilds, resets", r"\banew\b"),
    _phrase("complains", "reports an error", r"\b[Cc]omplain(?:s|ed|ing|ts?)?\b"),
    _phrase("has to be", "must be", r"\b(?:has|have) to be\b"),
    _phrase("whoever, somebody", "name the user, the caller or the program",
            r"\b(?:[Ww]hoever|[Ss]omebody)\b"),
    _phrase("null when, empty where", "null if, empty if",
            r"\b(?:[Nn]ull|[Nn]ullopt|[Ee]mpty|[Ff]alse|[Tt]rue) (?:when|where)\b(?! in doubt)"),
    _phrase("What is wrong is reported.", "begin with a noun: Errors are reported.",
            r"(?:(?<=[.;:]\s)|^[^\S\n]*)What\b(?![^.\n]*(?:\n[^.\n]*)?\?)"),
)

_LITERAL = r'"(?:\\.|[^"\\\n])*"'
CODE_TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|' + _LITERAL +
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'", re.S)
_SCRIPT_TOKEN = re.compile(
    r'#[^\n]*|""".*?"""|' + r"'''.*?'''|" + _LITERAL + r"|'(?:\\.|[^'\\\n])*'", re.S)
_MARK = re.compile(r"^[ \t]*(?://[/!]?<?|/\*+|\*(?!/)|#+)", re.M)
_FENCE = re.compile(r"^([ \t]*)(`{3,}).*?^[ \t]*\2[ \t]*$", re.S | re.M)
_QUOTED = re.compile(r"`[^`\n]*`")
_DIRECTIVE = re.compile(r"^[ \t]*#?[ \t]*[A-Z][A-Z0-9_-]*:.*$|^[ \t]*#?[ \t]*--- \S+$", re.M)
_CODE = {".cc", ".h", ".c", ".def", ".js", ".css"}
_SCRIPTS = {".py", ".sh", ".cmake", ".yaml", ".yml"}
_PLAIN = {".md", ".test"}


def _blank(text):
    """Takes the place of code: no phrase reaches across it."""
    return re.sub(r"\S+", "\0", text)


def _only(token, text):
    """The comments and string literals of a source; everything else is blank."""
    parts, end = [], 0
    for match in token.finditer(text):
        parts.append(_blank(text[end:match.start()]))
        found = match[0]
        if found[0] in "\"'" and not re.search(r"\s", found):
            found = _blank(found)  # a name, not a text
        elif found[0] == '"':
            found = " " + found[1:-1].replace("\\n", "  ").replace('\\"', "  ") + " "
        parts.append(_MARK.sub(lambda mark: " " * len(mark[0]), found))
        end = match.end()
    return "".join(parts) + _blank(text[end:])


def prose(path, text):
    """The text of a file with blanks in place of its code, on the same lines; None: no text."""
    suffix = pathlib.PurePosixPath(path).suffix
    name = pathlib.PurePosixPath(path).name
    if suffix in _CODE:
        text = _only(CODE_TOKEN, text)
    elif suffix in _SCRIPTS or name in ("CMakeLists.txt", "Makefile"):
        text = _only(_SCRIPT_TOKEN, text)
    elif suffix not in _PLAIN:
        return None
    if path == STYLE:
        text = re.sub(r"^## Words\n.*?(?=^## )", lambda match: _blank(match[0]), text,
                      flags=re.S | re.M)
    text = _FENCE.sub(lambda match: _blank(match[0]), text)
    if path.startswith("tests/lit/"):
        text = _DIRECTIVE.sub(lambda match: _blank(match[0]), text)
    return _QUOTED.sub(lambda match: "`" + _blank(match[0][1:-1]) + "`", text)


def findings(path, text):
    """Yields (line, found phrase, what to write instead)."""
    text = prose(path, text)
    if text is None:
        return
    for phrase in PHRASES:
        for match in phrase.pattern.finditer(text):
            found = " ".join(match[0].replace("\0", "").split())
            yield text.count("\n", 0, match.end()) + 1, found, phrase.instead
