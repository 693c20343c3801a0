"""Reading of untrusted XML: no DOCTYPE, no entities, no network, limited depth; elements have line numbers."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any, TypeAlias

from gearwright.files.import_report import ImportFindings
from gearwright.files.size_limits import (
    MAX_NAME_LENGTH,
    MAX_NESTING_DEPTH,
    MAX_XML_ELEMENTS,
    number_length_problem,
    quoted_short,
)

Element: TypeAlias = Any
"""An lxml element, whose tag and attributes have a literal prefix ("drake:gear_ratio") for any namespace."""

MAX_URDF_NUMBER = 1e12
"""Upper bound of masses [kg], lengths [m], inertias [kg m2] and ratios; a larger limit means "unlimited"."""

_FINITE_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_DOCTYPE = re.compile(r"<!\s*(DOCTYPE|ENTITY)", re.IGNORECASE)


def parse_xml(text: str, findings: ImportFindings, deepest: int = MAX_NESTING_DEPTH) -> Element:
    """Return the root element of a document; raise a FileError with all syntax errors and their lines."""
    refuse_doctype(text, findings)
    from lxml import etree

    parser = etree.XMLParser(
        encoding="utf-8",
        recover=True,  # to report all syntax errors together; each of them is an error below
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
        findings.add(f"this is not XML ({error}). Give a URDF.", line=getattr(error, "lineno", None))
        raise findings.to_error() from None
    _refuse_errors(parser.error_log, findings)
    if root is None or not isinstance(root.tag, str):
        findings.add("the file has no XML element. Give a URDF, whose root element is <robot>.", line=1)
        raise findings.to_error()
    _refuse_size(root, findings, deepest)
    return root


def refuse_doctype(text: str, findings: ImportFindings) -> None:
    """Raise for document types and entities: they can grow without bound and read other files."""
    match = _DOCTYPE.search(text)
    if match:
        line = text.count("\n", 0, match.start()) + 1
        findings.add("a DOCTYPE or ENTITY is not allowed, since it could read other files. Remove it.", line=line)
        raise findings.to_error()


def _refuse_errors(log: Iterable[Any], findings: ImportFindings) -> None:
    """Add every syntax error except undeclared prefixes: many files write `drake:gear_ratio` without xmlns."""
    for entry in log:
        if entry.type_name != "NS_ERR_UNDEFINED_NAMESPACE" and entry.level_name != "WARNING":
            findings.add(f"broken XML: {entry.message.strip()}.", line=entry.line)
    findings.raise_if_any()


def _refuse_size(root: Element, findings: ImportFindings, deepest: int) -> None:
    """Check the depth and the number of elements, without recursion."""
    depth: dict[Element, int] = {root: 1}
    for element in root.iterdescendants():
        depth[element] = depth[element.getparent()] + 1
        if depth[element] > deepest:
            findings.add(
                f"elements are nested deeper than {deepest} levels. Simplify the file.", line=element.sourceline
            )
            raise findings.to_error()
        if len(depth) > MAX_XML_ELEMENTS:
            findings.add(
                f"the file has more than {MAX_XML_ELEMENTS} elements. Split the robot.", line=element.sourceline
            )
            raise findings.to_error()


def element_tag(element: Element) -> str:
    """Return the tag with its prefix as written, declared or not.

    >>> from gearwright.files.import_report import ImportFindings
    >>> root = parse_xml('<robot xmlns:drake="d"><drake:x/><y/></robot>', ImportFindings("text"))
    >>> [element_tag(only_child) for only_child in root]
    ['drake:x', 'y']
    """
    name = str(element.tag)
    if not name.startswith("{"):
        return name
    local = name.rpartition("}")[2]
    return f"{element.prefix}:{local}" if element.prefix else local


def only_child(findings: ImportFindings, element: Element, name: str) -> Element | None:
    """Return the only child with a tag, or None; a second one is a problem."""
    same = children_of_tags(element, name)
    for repeated in same[1:]:
        findings.add_at(repeated, f"<{name}> occurs twice, and only one can be used. Remove one.")
    return same[0] if same else None


def children_of_tags(element: Element, *names: str) -> list[Element]:
    """Return the children with these tags in their order."""
    return [kid for kid in element if element_tag(kid) in names]


def attribute_name(findings: ImportFindings, element: Element, attribute: str = "name") -> str | None:
    """Return a name; None with a problem if it is missing."""
    value = element.get(attribute)
    if value is None or not value.strip():
        findings.add_at(element, f"<{element_tag(element)}> has no attribute {attribute}. Add it.")
        return None
    if len(value) > MAX_NAME_LENGTH:
        findings.add_at(element, f"its {attribute} has {len(value)} characters. Use at most {MAX_NAME_LENGTH}.")
        return None
    return str(value)


def attribute_numbers(
    findings: ImportFindings,
    element: Element | None,
    attribute: str,
    count: int,
    default: tuple[float, ...] | None = None,
) -> tuple[float, ...]:
    """Return the finite numbers of an attribute; otherwise zeros with a problem, so that reading continues.

    `default` None: the attribute is required.
    """
    text = None if element is None else element.get(attribute)
    if text is None:
        if default is None:
            findings.add_at(element, f"{attribute} is missing. Give {_count_text(count)}.")
        return default if default is not None else (0.0,) * count
    values = parse_numbers(text)
    if isinstance(values, str):
        findings.add_at(element, f"{attribute}: {values}")
    elif len(values) != count:
        findings.add_at(
            element, f"{attribute} has {_count_text(len(values))} instead of {count}: {quoted_short(text)}."
        )
    else:
        return values
    return default if default is not None else (0.0,) * count


def attribute_number(
    findings: ImportFindings, element: Element | None, attribute: str, default: float | None = None
) -> float:
    """Return one finite number of an attribute; see `attribute_numbers`."""
    return attribute_numbers(findings, element, attribute, 1, None if default is None else (default,))[0]


def parse_numbers(text: str, limit: float = MAX_URDF_NUMBER) -> tuple[float, ...] | str:
    """Return numbers separated by spaces, or a message about the first invalid one.

    >>> parse_numbers("1 -2.5e-3")
    (1.0, -0.0025)
    >>> parse_numbers("1 nan")
    "'nan' is not a finite number. Give numbers with a decimal point, separated by spaces."
    """
    values = []
    for word in text.split():
        if (reason := number_length_problem(word)) is not None:
            return reason
        if not _FINITE_NUMBER.fullmatch(word):
            return (
                f"{quoted_short(word)} is not a finite number. Give numbers with a decimal point, separated by spaces."
            )
        value = float(word)
        if abs(value) > limit:
            return (
                f"{quoted_short(word)} exceeds {limit:g}, which is implausible for a robot. Check the value and its "
                "unit (SI)."
            )
        values.append(value)
    return tuple(values)


def report_unknown_content(
    findings: ImportFindings, element: Element, attributes: Collection[str], kids: Collection[str], path: str
) -> None:
    """Report attributes and children that are not supported."""
    for kid in element:
        if isinstance(kid.tag, str) and element_tag(kid) not in kids:
            findings.add_ignored(f"{path}/{element_tag(kid)}", kid.sourceline)
    for attribute in element.attrib:
        if attribute not in attributes:
            findings.add_ignored(f"{path}, attribute {attribute}", element.sourceline)


def text_number(findings: ImportFindings, element: Element) -> float | None:
    """Return the number in an element's `value` attribute or its text; None with a problem otherwise."""
    text = element.get("value") if element.get("value") is not None else element.text
    values = parse_numbers(text or "")
    if isinstance(values, str):
        findings.add_at(element, f"<{element_tag(element)}>: {values}")
        return None
    if len(values) != 1:
        findings.add_at(
            element,
            f"<{element_tag(element)}> has {_count_text(len(values))} instead of one: {quoted_short(text or '')}.",
        )
        return None
    return values[0]


def require_robot_root(root: Element, findings: ImportFindings) -> None:
    """Add a problem unless the root element is <robot>."""
    if element_tag(root) != "robot":
        findings.add_at(root, f"the root element is <{element_tag(root)[:40]}>, not <robot>. Give a URDF.")
        raise findings.to_error()


def _count_text(count: int) -> str:
    return "one number" if count == 1 else f"{count} numbers"
