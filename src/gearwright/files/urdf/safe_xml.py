"""XML that anybody may have written: no DOCTYPE, no entities, no network, limited depth; elements know their line."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any, TypeAlias

from gearwright.files.import_report import Findings
from gearwright.files.size_limits import MAX_DEPTH, MAX_ELEMENTS, MAX_NAME, long_number, shortened

Element: TypeAlias = Any
"""An lxml element, whose tag and attributes carry a literal prefix ("drake:gear_ratio") whatever its namespace."""

HUGE = 1e12
"""No mass, length, inertia or ratio of a robot is larger; a limit that is means "unlimited"."""

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_DOCTYPE = re.compile(r"<!\s*(DOCTYPE|ENTITY)", re.IGNORECASE)


def parse_xml(text: str, found: Findings, deepest: int = MAX_DEPTH) -> Element:
    """The root element of a document, or a FileError that lists every syntax error with its line."""
    refuse_doctype(text, found)
    from lxml import etree

    parser = etree.XMLParser(
        encoding="utf-8",
        recover=True,  # to see all the syntax errors in one run; none of them is forgiven below
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(text.encode("utf-8", "surrogatepass"), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        found.add(f"this is not XML ({error}). Give a URDF.", line=getattr(error, "lineno", None))
        raise found.error() from None
    _refuse_errors(parser.error_log, found)
    if root is None or not isinstance(root.tag, str):
        found.add("there is no XML element in it. Give a URDF, whose outermost element is <robot>.", line=1)
        raise found.error()
    _refuse_size(root, found, deepest)
    return root


def refuse_doctype(text: str, found: Findings) -> None:
    """No document type and no entity: they can grow without bound and read other files."""
    match = _DOCTYPE.search(text)
    if match:
        line = text.count("\n", 0, match.start()) + 1
        found.add("a DOCTYPE or ENTITY is refused: it could read other files. A robot needs none.", line=line)
        raise found.error()


def _refuse_errors(log: Iterable[Any], found: Findings) -> None:
    """Every error but an undeclared prefix: files in the wild write `drake:gear_ratio` without xmlns."""
    for entry in log:
        if entry.type_name != "NS_ERR_UNDEFINED_NAMESPACE" and entry.level_name != "WARNING":
            found.add(f"broken XML: {entry.message.strip()}.", line=entry.line)
    found.refuse()


def _refuse_size(root: Element, found: Findings, deepest: int) -> None:
    """Bound the depth and the number of elements, without recursion."""
    depth: dict[Element, int] = {root: 1}
    for element in root.iterdescendants():
        depth[element] = depth[element.getparent()] + 1
        if depth[element] > deepest:
            found.add(f"elements are nested deeper than {deepest}. No robot needs that.", line=element.sourceline)
            raise found.error()
        if len(depth) > MAX_ELEMENTS:
            found.add(f"there are more than {MAX_ELEMENTS} elements. Split the robot.", line=element.sourceline)
            raise found.error()


def tag(element: Element) -> str:
    """The tag with its prefix as it is written, declared or not.

    >>> from gearwright.files.import_report import Findings
    >>> root = parse_xml('<robot xmlns:drake="d"><drake:x/><y/></robot>', Findings("text"))
    >>> [tag(child) for child in root]
    ['drake:x', 'y']
    """
    name = str(element.tag)
    if not name.startswith("{"):
        return name
    local = name.rpartition("}")[2]
    return f"{element.prefix}:{local}" if element.prefix else local


def child(found: Findings, element: Element, name: str) -> Element | None:
    """The only child of that tag, or None; a second one is a problem."""
    same = children(element, name)
    for other in same[1:]:
        found.at(other, f"a second <{name}>; one of the two would be dropped. Remove one.")
    return same[0] if same else None


def children(element: Element, *names: str) -> list[Element]:
    """The children of these tags in their order."""
    return [kid for kid in element if tag(kid) in names]


def name_of(found: Findings, element: Element, attribute: str = "name") -> str | None:
    """A name, or None with a problem."""
    value = element.get(attribute)
    if value is None or not value.strip():
        found.at(element, f"<{tag(element)}> has no {attribute}. Give one.")
        return None
    if len(value) > MAX_NAME:
        found.at(element, f"its {attribute} is {len(value)} characters long. Use at most {MAX_NAME}.")
        return None
    return str(value)


def numbers(
    found: Findings, element: Element | None, attribute: str, count: int, default: tuple[float, ...] | None = None
) -> tuple[float, ...]:
    """The finite numbers of an attribute; a problem (and zeros, so that reading goes on) when there are others.

    `default` None: the attribute must be there.
    """
    text = None if element is None else element.get(attribute)
    if text is None:
        if default is None:
            found.at(element, f"{attribute} is missing. Give {_how_many(count)}.")
        return default if default is not None else (0.0,) * count
    values = parse_numbers(text)
    if isinstance(values, str):
        found.at(element, f"{attribute}: {values}")
    elif len(values) != count:
        found.at(element, f"{attribute} has {_how_many(len(values))} instead of {count}: {shortened(text)}.")
    else:
        return values
    return default if default is not None else (0.0,) * count


def number(found: Findings, element: Element | None, attribute: str, default: float | None = None) -> float:
    """One finite number of an attribute; see `numbers`."""
    return numbers(found, element, attribute, 1, None if default is None else (default,))[0]


def parse_numbers(text: str, limit: float = HUGE) -> tuple[float, ...] | str:
    """Numbers separated by spaces, or a sentence that says which of them is none.

    >>> parse_numbers("1 -2.5e-3")
    (1.0, -0.0025)
    >>> parse_numbers("1 nan")
    "'nan' is not a finite number. Give numbers with a decimal point, separated by spaces."
    """
    values = []
    for word in text.split():
        if (reason := long_number(word)) is not None:
            return reason
        if not _NUMBER.fullmatch(word):
            return f"{shortened(word)} is not a finite number. Give numbers with a decimal point, separated by spaces."
        value = float(word)
        if abs(value) > limit:
            return f"{shortened(word)} is larger than {limit:g}, which no robot has. Check it and its unit (SI)."
        values.append(value)
    return tuple(values)


def report_others(
    found: Findings, element: Element, attributes: Collection[str], kids: Collection[str], path: str
) -> None:
    """Report the attributes and children that are not among those understood."""
    for kid in element:
        if isinstance(kid.tag, str) and tag(kid) not in kids:
            found.ignore(f"{path}/{tag(kid)}", kid.sourceline)
    for attribute in element.attrib:
        if attribute not in attributes:
            found.ignore(f"{path}, attribute {attribute}", element.sourceline)


def text_number(found: Findings, element: Element) -> float | None:
    """The number in an element's `value` attribute or its text; a problem and None otherwise."""
    text = element.get("value") if element.get("value") is not None else element.text
    values = parse_numbers(text or "")
    if isinstance(values, str):
        found.at(element, f"<{tag(element)}>: {values}")
        return None
    if len(values) != 1:
        found.at(element, f"<{tag(element)}> holds {_how_many(len(values))} instead of one: {shortened(text or '')}.")
        return None
    return values[0]


def refuse_root(root: Element, found: Findings) -> None:
    """The outermost element must be <robot>."""
    if tag(root) != "robot":
        found.at(root, f"the outermost element is <{tag(root)[:40]}>, not <robot>. Give a URDF.")
        raise found.error()


def _how_many(count: int) -> str:
    return "one number" if count == 1 else f"{count} numbers"
