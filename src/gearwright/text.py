r"""Names inside text of ours: one function per kind of text, so that a name is shown and never obeyed.

A name comes from a file that anybody may have written. Files that are read again (YAML, XML, CSV, JSON) get the
format's own escaping and give the same name back; text for people shows control and direction characters as codes such
as \x1b; C gets ASCII identifiers. Letters of any script pass everywhere else.

| for | function |
|---|---|
| people: messages, terminals | `visible`, `lines`; `listed` for several names; `did_you_mean` after an unknown one |
| C | `c_identifier`, `c_identifiers`, `c_comment` |
| CasADi, python-control | `plain_names` |
| LaTeX, Markdown, HTML, figures | `latex`, `markdown`, `html`, `plain_label` |
| files that are read again | `csv_row`, `csv_cells`, `csv_text`, `json`, `yaml`, `xml`, `beyond_xml` |
| names of files | `file_name` |
| lists in which every name stands once | `fresh_name` |
"""

from __future__ import annotations

import difflib
import html as _html
import json as _json
import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any
from unicodedata import category

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"})
"""Kinds of characters that act instead of being seen: controls, directions, lone surrogates, ends of lines."""
_PART_OF_WORDS = frozenset("\u200c\u200d\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2")
"""Of these kinds, but needed to spell words of Persian, Hindi, Syriac and others."""
_KEYWORDS = (
    "auto break case char const continue default do double else enum extern float for goto if inline int long register "
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while"
)
_LATEX = {
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
_MARKDOWN = re.compile(
    r"[\\`*_{}<>|~$^@]"  # code, emphasis, roles, tags, cells, mathematics, addresses
    r"|\](?=[(\[:])|:(?=//)|(?<=\bwww)\.|&(?=[#\w])"  # links and entities
    r"|^[#=]|^[-+](?=[-\s]|$)",  # what begins a heading, a rule or a list
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"^(\d+)([.)])(?=\s|$)")
_BREAKS_COMMENT = re.compile(r"(?<=\*)/|(?<=/)\*|(?<=\?)\?")
_CELL = re.compile(r'[ \t]*("(?:[^"]|"")*"|)([^,\r\n]*)(,|\r?\n?\Z)')
_FORMULA = re.compile(r"'*[\s\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]")
"""What a spreadsheet may compute; those of full width count in some of them."""
_CSV_NUMBER = re.compile(r"[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|inf|nan)", re.ASCII | re.IGNORECASE)
_RESERVED_FILES = frozenset({"aux", "con", "nul", "prn", *(f"{port}{k}" for port in ("com", "lpt") for k in range(10))})
_LONGEST_FILE_NAME = 100
_LONGEST_WORD, _MOST_NAMES = 60, 60
"""Words longer and lists larger than these are not searched for what was meant: a hostile file must not take hours."""


def is_hidden(character: str) -> bool:
    r"""Whether a character acts on the text around it instead of being seen.

    >>> is_hidden("\x1b"), is_hidden("\u202e"), is_hidden("節")
    (True, True, False)
    """
    return not character.isprintable() and category(character) in _HIDDEN and character not in _PART_OF_WORDS


def visible(text: str, keep: str = "") -> str:
    r"""The text with hidden characters as codes; those in `keep` stay.

    >>> print(visible("j1\x1b[31m\n関節"))
    j1\x1b[31m\n関節
    """
    if text.isprintable():
        return text
    return "".join(_code(c) if c not in keep and is_hidden(c) else c for c in text)


def _code(character: str) -> str:
    return character.encode("unicode_escape").decode()


def lines(text: str) -> str:
    """A message of several lines for a person: as `visible`, but its lines stay."""
    return visible(text, keep="\n")


def listed(names: Iterable[str], between: str = ", ") -> str:
    r"""Several names in a sentence; none of them can begin a line of its own.

    >>> print(listed(["elbow", "a\nb"]))
    elbow, a\nb
    """
    return between.join(visible(name) for name in names)


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """The sentence that helps after an unknown word: the closest known one, or all of them.

    >>> did_you_mean("elbo", ["shoulder", "elbow"])
    "Did you mean 'elbow'?"
    >>> did_you_mean("wrist", ["shoulder", "elbow"])
    'Known are: shoulder, elbow.'
    """
    names = list(dict.fromkeys(known))
    if not names:
        return "There are none."
    close = difflib.get_close_matches(str(word)[:_LONGEST_WORD], names[:_MOST_NAMES], n=1)
    if close:
        return f"Did you mean {close[0]!r}?"
    more = ", ..." if len(names) > _MOST_NAMES else ""
    return f"Known are: {listed(names[:_MOST_NAMES])}{more}."


def fresh_name(wanted: str, taken: set[str]) -> str:
    """The name wanted, numbered if it is taken; it is taken from then on.

    >>> taken = {"base"}
    >>> fresh_name("base", taken), fresh_name("base", taken), fresh_name("arm", taken), sorted(taken)
    ('base_2', 'base_3', 'arm', ['arm', 'base', 'base_2', 'base_3'])
    """
    name, count = wanted, 1
    while name in taken:
        count += 1
        name = f"{wanted}_{count}"
    taken.add(name)
    return name


def c_identifier(name: str) -> str:
    """A name as a C identifier: ASCII, not a keyword.

    >>> c_identifier("panda like-2"), c_identifier("6r"), c_identifier("while"), c_identifier("関節")
    ('panda_like_2', '_6r', 'while_', 'unnamed')
    """
    plain = "".join(c if c.isascii() and c.isalnum() else "_" for c in name)
    if not plain.strip("_"):
        return "unnamed"
    plain = f"_{plain}" if plain[0].isdigit() else plain
    return f"{plain}_" if plain in _KEYWORDS.split() else plain


def c_identifiers(names: Iterable[str], taken: Collection[str] = (), upper: bool = False) -> list[str]:
    """Identifiers of several names, numbered where two become one or one is `taken`.

    >>> c_identifiers(["j.1", "j-1", "elbow"], upper=True), c_identifiers(["out"], taken=["out"])
    (['J_1', 'J_1_2', 'ELBOW'], ['out_2'])
    """
    used = set(taken)
    plain = (c_identifier(name) for name in names)
    return [fresh_name(name.upper() if upper else name, used) for name in plain]


def plain_names(names: Iterable[str], taken: Collection[str] = ()) -> list[str]:
    """Names for tools that take a letter, then letters, digits and single underscores; numbered where two become one.

    >>> plain_names(["tau.j1", "tau j1", "6r", "__q", "関節"])
    ['tau_j1', 'tau_j1_2', 'x6r', 'q', 'unnamed']
    """
    found = [re.sub("_+", "_", c_identifier(name)).strip("_") for name in names]
    started = [name if name[0].isalpha() else f"x{name}" for name in found]
    return c_identifiers(started, taken=(*taken, *_KEYWORDS.split(), "null", "jac", "hess"))


def c_comment(text: str) -> str:
    r"""A C comment with the text in it, which neither ends it nor splices lines; a backslash is written twice.

    >>> print(c_comment("*/ int x; /* ??/\n"))
    /* *\x2f int x; /\x2a ?\x3f/\n */
    """
    whole = visible(text.replace("\\", "\\\\"))
    whole = _BREAKS_COMMENT.sub(lambda found: f"\\x{ord(found[0]):02x}", whole)
    return f"/* {whole} */"


def latex(text: str) -> str:
    r"""A name in the text of a LaTeX document.

    >>> print(latex("a_b $5"))
    a\_b \$5
    """
    return "".join(_LATEX.get(c, c) for c in visible(text))


def markdown(text: str) -> str:
    r"""A name in a line or table cell of Markdown.

    >>> print(markdown("a_b|<i>"))
    a\_b\|\<i\>
    """
    return _NUMBERED.sub(r"\1\\\2", _MARKDOWN.sub(r"\\\g<0>", visible(text)))


def html(text: str) -> str:
    """A name in an element or a quoted attribute of HTML.

    >>> html("<b> & co")
    '&lt;b&gt; &amp; co'
    """
    return _html.escape(visible(text))


def plain_label(text: str) -> str:
    r"""A name in a figure of matplotlib, which would read what stands between dollars as mathematics.

    >>> print(plain_label("$x$"))
    \$x\$
    """
    return visible(text).replace("$", "\\$")


def csv_row(cells: Sequence[str]) -> str:
    r"""A line of CSV whose cells `csv_cells` gives back; one that begins or ends with a space is quoted too.

    Spreadsheets compute a cell that begins with = + - @. Unless it is a number, it gets the apostrophe with which they
    show it as text.

    >>> csv_row(["t", "q.a,b", 'say "x" ', "=1+1", "-1.5"])
    't,"q.a,b","say ""x"" ",\'=1+1,-1.5\n'
    """
    shown = [f"'{cell}" if _FORMULA.match(cell) and not _CSV_NUMBER.fullmatch(cell) else cell for cell in cells]
    return ",".join(_quoted(cell) if _needs_quotes(cell) else cell for cell in shown) + "\n"


def csv_text(cell: str) -> str:
    """What a cell says, without the apostrophe that keeps spreadsheets from computing it.

    >>> csv_text("'=1+1"), csv_text("'tis"), csv_text("-1")
    ('=1+1', "'tis", '-1')
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'


def _needs_quotes(cell: str) -> bool:
    return cell != cell.strip() or not cell or any(c in cell for c in '",\r\n')


def csv_cells(record: str) -> list[str]:
    r"""The cells of one record: quoted ones as they are, others without the spaces around them.

    >>> csv_cells('t, q.elbow ," x"\n')
    ['t', 'q.elbow', ' x']
    """
    cells = []
    for found in _CELL.finditer(record):
        quoted, rest, end = found.groups()
        cells.append(csv_text((quoted[1:-1].replace('""', '"') + rest.rstrip()) if quoted else rest.strip()))
        if end != ",":
            break
    return cells


def json(value: Any) -> str:
    r"""A value as JSON that is safe on a terminal; NaN and infinity are refused, no program could read them.

    >>> json({"\x9b": "節"})
    '{\n  "\\u009b": "節"\n}'
    """
    text = _json.dumps(value, indent=2, allow_nan=False, ensure_ascii=False)
    return "".join(_json.dumps(c)[1:-1] if c != "\n" and is_hidden(c) else c for c in text)


def yaml(document: str) -> str:
    r"""A YAML document whose texts with hidden characters stand in double quotes, with codes in their place."""
    return lines(document)  # YAML's codes in double quotes are those of `visible`: \x85, \u202e, \U000e0041


def xml(document: str) -> str:
    r"""An XML document with hidden characters as references.

    >>> xml('<link name="a\u202e"/>')
    '<link name="a&#x202e;"/>'
    """
    return "".join(f"&#x{ord(c):x};" if c != "\n" and is_hidden(c) else c for c in document)


def beyond_xml(text: str) -> str | None:
    r"""The code of the first character that XML cannot hold, not even as a reference; None when there is none.

    >>> beyond_xml("節"), beyond_xml("\x1b")
    (None, 'U+001B')
    """
    for c in text:
        if (c < " " and c not in "\t\n\r") or "\ud800" <= c <= "\udfff" or c in "\ufffe\uffff":
            return f"U+{ord(c):04X}"
    return None


def is_unicode(text: str) -> bool:
    r"""Whether the text can be stored at all: a lone half of a surrogate pair is not a character.

    >>> is_unicode("節"), is_unicode("\ud800")
    (True, False)
    """
    return not any("\ud800" <= c <= "\udfff" for c in text)


def file_name(name: str) -> str:
    """A name as (the beginning of) a file's name, which leads into no other folder.

    >>> file_name("../../panda"), file_name("関節 2"), file_name("nul")
    ('_.._panda', '関節 2', 'nul_')
    """
    plain = "".join("_" if is_hidden(c) or c in '/\\:*?"<>|' else c for c in name)[:_LONGEST_FILE_NAME]
    plain = plain.strip(" ").lstrip(".-") or "unnamed"
    return f"{plain}_" if plain.lower() in _RESERVED_FILES else plain
