r"""Names inside generated text: one function per kind of text, so that a name is shown literally, never interpreted.

Names come from files and are not trusted. Files that are read again (YAML, XML, CSV, JSON) use the escaping of the
format, which preserves the name; text for people shows control and direction characters as codes such as \x1b; C gets
ASCII identifiers. Letters of any script are kept everywhere else.

| for | function |
|---|---|
| people: messages, terminals | `visible_text`, `visible_lines`; `listed_names`, `did_you_mean` |
| C | `c_identifier`, `c_identifiers`, `c_comment` |
| CasADi, python-control | `plain_names` |
| LaTeX, Markdown, HTML, figures | `latex_text`, `markdown_text`, `html_text`, `plain_label` |
| files that are read again | `csv_row`, `csv_cells`, `csv_cell_text`, `json_text`, `yaml_text`, `xml_text` |
| names of files | `file_name` |
| lists of unique names | `unique_name` |
"""

from __future__ import annotations

import difflib
import html as _html
import json as _json
import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any
from unicodedata import category

_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"})
"""Categories of invisible characters: controls, directions, lone surrogates, line ends."""
_SCRIPT_CHARACTERS = frozenset("\u200c\u200d\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2")
"""Characters of these categories that words of Persian, Hindi, Syriac and others need."""
_C_KEYWORDS = (
    "auto break case char const continue default do double else enum extern float for goto if inline int long register "
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while"
)
_LATEX_ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    **{c: f"\\{c}" for c in "{}$&#_%"},
}
_MARKDOWN_SPECIAL = re.compile(
    r"[\\`*_{}<>|~$^@]"  # code, emphasis, roles, tags, cells, mathematics, addresses
    r"|\](?=[(\[:])|:(?=//)|(?<=\bwww)\.|&(?=[#\w])"  # links and entities
    r"|^[#=]|^[-+](?=[-\s]|$)",  # what begins a heading, a rule or a list
    re.IGNORECASE,
)
_MARKDOWN_LIST_NUMBER = re.compile(r"^(\d+)([.)])(?=\s|$)")
_COMMENT_BREAKERS = re.compile(r"(?<=\*)/|(?<=/)\*|(?<=\?)\?")
_CSV_CELL = re.compile(r'[ \t]*("(?:[^"]|"")*"|)([^,\r\n]*)(,|\r?\n?\Z)')
_SPREADSHEET_FORMULA = re.compile(r"'*[\s\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]")
"""First characters of formulas in spreadsheets, in some of them also the full-width forms."""
_CSV_NUMBER = re.compile(r"[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|inf|nan)", re.ASCII | re.IGNORECASE)
_RESERVED_FILES = frozenset({"aux", "con", "nul", "prn", *(f"{port}{k}" for port in ("com", "lpt") for k in range(10))})
_MAX_FILE_NAME_LENGTH = 100
_MAX_WORD_LENGTH, _MAX_LISTED_NAMES = 60, 60
"""Longest word and list searched for similar names, which bounds the time for a hostile file."""


def is_hidden(character: str) -> bool:
    r"""Whether a character is invisible and acts on the text around it.

    >>> is_hidden("\x1b"), is_hidden("\u202e"), is_hidden("節")
    (True, True, False)
    """
    return (
        not character.isprintable()
        and category(character) in _HIDDEN_CATEGORIES
        and character not in _SCRIPT_CHARACTERS
    )


def visible_text(text: str, keep: str = "") -> str:
    r"""Return the text with hidden characters as codes, except those in `keep`.

    >>> print(visible_text("j1\x1b[31m\n関節"))
    j1\x1b[31m\n関節
    """
    if text.isprintable():
        return text
    return "".join(_escape_code(c) if c not in keep and is_hidden(c) else c for c in text)


def _escape_code(character: str) -> str:
    return character.encode("unicode_escape").decode()


def visible_lines(text: str) -> str:
    """Return a message of several lines with hidden characters as codes: `visible_text`, but line ends stay."""
    return visible_text(text, keep="\n")


def listed_names(names: Iterable[str], between: str = ", ") -> str:
    r"""Return several names for a sentence; none of them can start a new line.

    >>> print(listed_names(["elbow", "a\nb"]))
    elbow, a\nb
    """
    return between.join(visible_text(name) for name in names)


def did_you_mean(word: object, known_words: Iterable[str]) -> str:
    """Return a hint after an unknown word: the closest known word, or all of them.

    >>> did_you_mean("elbo", ["shoulder", "elbow"])
    "Did you mean 'elbow'?"
    >>> did_you_mean("wrist", ["shoulder", "elbow"])
    'Known names: shoulder, elbow.'
    """
    names = list(dict.fromkeys(known_words))
    if not names:
        return "There are none."
    close = difflib.get_close_matches(str(word)[:_MAX_WORD_LENGTH], names[:_MAX_LISTED_NAMES], n=1)
    if close:
        return f"Did you mean {close[0]!r}?"
    ellipsis = ", ..." if len(names) > _MAX_LISTED_NAMES else ""
    return f"Known names: {listed_names(names[:_MAX_LISTED_NAMES])}{ellipsis}."


def unique_name(wanted: str, used_names: set[str]) -> str:
    """Return the name wanted, numbered if it is in `used_names`, and add it to `used_names`.

    >>> used_names = {"base"}
    >>> [unique_name(wanted, used_names) for wanted in ("base", "base", "arm")], sorted(used_names)
    (['base_2', 'base_3', 'arm'], ['arm', 'base', 'base_2', 'base_3'])
    """
    name, count = wanted, 1
    while name in used_names:
        count += 1
        name = f"{wanted}_{count}"
    used_names.add(name)
    return name


def c_identifier(name: str) -> str:
    """Return a name as a C identifier: ASCII, not a keyword.

    >>> c_identifier("panda like-2"), c_identifier("6r"), c_identifier("while"), c_identifier("関節")
    ('panda_like_2', '_6r', 'while_', 'unnamed')
    """
    plain = "".join(c if c.isascii() and c.isalnum() else "_" for c in name)
    if not plain.strip("_"):
        return "unnamed"
    plain = f"_{plain}" if plain[0].isdigit() else plain
    return f"{plain}_" if plain in _C_KEYWORDS.split() else plain


def c_identifiers(names: Iterable[str], reserved: Collection[str] = (), upper: bool = False) -> list[str]:
    """Return C identifiers of several names, numbered if two coincide or one is in `reserved`.

    >>> c_identifiers(["j.1", "j-1", "elbow"], upper=True), c_identifiers(["out"], reserved=["out"])
    (['J_1', 'J_1_2', 'ELBOW'], ['out_2'])
    """
    used = set(reserved)
    plain = (c_identifier(name) for name in names)
    return [unique_name(name.upper() if upper else name, used) for name in plain]


def plain_names(names: Iterable[str], reserved: Collection[str] = ()) -> list[str]:
    """Return names of a letter, then letters, digits and single underscores; numbered if two coincide.

    >>> plain_names(["tau.j1", "tau j1", "6r", "__q", "関節"])
    ['tau_j1', 'tau_j1_2', 'x6r', 'q', 'unnamed']
    """
    stripped = [re.sub("_+", "_", c_identifier(name)).strip("_") for name in names]
    lettered = [name if name[0].isalpha() else f"x{name}" for name in stripped]
    return c_identifiers(lettered, reserved=(*reserved, *_C_KEYWORDS.split(), "null", "jac", "hess"))


def c_comment(text: str) -> str:
    r"""Return a C comment with the text, which can neither end it nor join lines; a backslash is doubled.

    >>> print(c_comment("*/ int x; /* ??/\n"))
    /* *\x2f int x; /\x2a ?\x3f/\n */
    """
    comment = visible_text(text.replace("\\", "\\\\"))
    comment = _COMMENT_BREAKERS.sub(lambda match: f"\\x{ord(match[0]):02x}", comment)
    return f"/* {comment} */"


def latex_text(text: str) -> str:
    r"""Return a name escaped for the text of a LaTeX document.

    >>> print(latex_text("a_b $5"))
    a\_b \$5
    """
    return "".join(_LATEX_ESCAPES.get(c, c) for c in visible_text(text))


def markdown_text(text: str) -> str:
    r"""Return a name escaped for a line or table cell of Markdown.

    >>> print(markdown_text("a_b|<i>"))
    a\_b\|\<i\>
    """
    return _MARKDOWN_LIST_NUMBER.sub(r"\1\\\2", _MARKDOWN_SPECIAL.sub(r"\\\g<0>", visible_text(text)))


def html_text(text: str) -> str:
    """Return a name escaped for an element or a quoted attribute of HTML.

    >>> html_text("<b> & co")
    '&lt;b&gt; &amp; co'
    """
    return _html.escape(visible_text(text))


def plain_label(text: str) -> str:
    r"""Return a name escaped for matplotlib, where text between dollar signs is mathematics.

    >>> print(plain_label("$x$"))
    \$x\$
    """
    return visible_text(text).replace("$", "\\$")


def csv_row(cells: Sequence[str]) -> str:
    r"""Return a line of CSV that `csv_cells` reads back; cells with a space at an end are quoted too.

    Spreadsheets evaluate cells that begin with = + - @. Such a cell, unless it is a number, gets an apostrophe, which
    marks it as text.

    >>> csv_row(["t", "q.a,b", 'say "x" ', "=1+1", "-1.5"])
    't,"q.a,b","say ""x"" ",\'=1+1,-1.5\n'
    """
    escaped = [
        f"'{cell}" if _SPREADSHEET_FORMULA.match(cell) and not _CSV_NUMBER.fullmatch(cell) else cell for cell in cells
    ]
    return ",".join(_quoted_cell(cell) if _needs_quotes(cell) else cell for cell in escaped) + "\n"


def csv_cell_text(cell: str) -> str:
    """Return the text of a cell without the apostrophe that protects it in spreadsheets.

    >>> csv_cell_text("'=1+1"), csv_cell_text("'tis"), csv_cell_text("-1")
    ('=1+1', "'tis", '-1')
    """
    return cell[1:] if cell.startswith("'") and _SPREADSHEET_FORMULA.match(cell) else cell


def _quoted_cell(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'


def _needs_quotes(cell: str) -> bool:
    return cell != cell.strip() or not cell or any(c in cell for c in '",\r\n')


def csv_cells(record: str) -> list[str]:
    r"""Return the cells of one record: quoted ones literally, others without surrounding spaces.

    >>> csv_cells('t, q.elbow ," x"\n')
    ['t', 'q.elbow', ' x']
    """
    cells = []
    for match in _CSV_CELL.finditer(record):
        quoted, unquoted, end = match.groups()
        cells.append(
            csv_cell_text((quoted[1:-1].replace('""', '"') + unquoted.rstrip()) if quoted else unquoted.strip())
        )
        if end != ",":
            break
    return cells


def json_text(value: Any) -> str:
    r"""Return a value as JSON that is safe on a terminal; NaN and infinity, which JSON does not have, are errors.

    >>> json_text({"\x9b": "節"})
    '{\n  "\\u009b": "節"\n}'
    """
    text = _json.dumps(value, indent=2, allow_nan=False, ensure_ascii=False)
    return "".join(_json.dumps(c)[1:-1] if c != "\n" and is_hidden(c) else c for c in text)


def yaml_text(document: str) -> str:
    r"""Return a YAML document with hidden characters as codes in double-quoted texts."""
    return visible_lines(
        document
    )  # YAML's codes in double quotes are those of `visible_text`: \x85, \u202e, \U000e0041


def xml_text(document: str) -> str:
    r"""Return an XML document with hidden characters as references.

    >>> xml_text('<link name="a\u202e"/>')
    '<link name="a&#x202e;"/>'
    """
    return "".join(f"&#x{ord(c):x};" if c != "\n" and is_hidden(c) else c for c in document)


def xml_forbidden_character(text: str) -> str | None:
    r"""Return the code of the first character that XML cannot represent, not even as a reference; None without any.

    >>> xml_forbidden_character("節"), xml_forbidden_character("\x1b")
    (None, 'U+001B')
    """
    for c in text:
        if (c < " " and c not in "\t\n\r") or "\ud800" <= c <= "\udfff" or c in "\ufffe\uffff":
            return f"U+{ord(c):04X}"
    return None


def is_unicode(text: str) -> bool:
    r"""Whether the text is valid Unicode, without lone surrogates.

    >>> is_unicode("節"), is_unicode("\ud800")
    (True, False)
    """
    return not any("\ud800" <= c <= "\udfff" for c in text)


def file_name(name: str) -> str:
    """Return a name as (the beginning of) a file name, which cannot lead to another folder.

    >>> file_name("../../panda"), file_name("関節 2"), file_name("nul")
    ('_.._panda', '関節 2', 'nul_')
    """
    plain = "".join("_" if is_hidden(c) or c in '/\\:*?"<>|' else c for c in name)[:_MAX_FILE_NAME_LENGTH]
    plain = plain.strip(" ").lstrip(".-") or "unnamed"
    return f"{plain}_" if plain.lower() in _RESERVED_FILES else plain
