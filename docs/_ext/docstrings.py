"""Docstrings are written for people who read code: `names`, $equations$ and plain signs; this makes them valid RST."""

from __future__ import annotations

import re

from sphinx.application import Sphinx

PIECES = re.compile(r"(``[^`]+``|`[^`]+`|\$[^$]+\$)")
ALIAS = re.compile(r"TypeAliasForwardRef\('(\w+)'\)")
SIGNS = re.compile(r"[\\*|]|_(?!\w)")


def _piece(text: str) -> str:
    if text.startswith("``"):
        return text
    if text.startswith("`"):
        return f"``{text[1:-1]}``"
    if text.startswith("$"):
        return f":math:`{text[1:-1]}`"
    return SIGNS.sub(lambda sign: "\\" + sign.group(), text)


def _plain_text(app: object, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    example = False
    for k, line in enumerate(lines):
        example = bool(line.strip()) and (example or line.lstrip().startswith(">>>"))
        if not example:
            lines[k] = "".join(_piece(piece) for piece in PIECES.split(line))


def _plain_signature(
    app: object, what: str, name: str, obj: object, options: object, signature: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    """Aliases by their name, not as the wrapper in which Sphinx carries them."""
    return tuple(text and ALIAS.sub(r"\1", text) for text in (signature, returns))  # type: ignore[return-value]


def setup(app: Sphinx) -> dict[str, bool]:
    """Run before napoleon reads the sections."""
    app.connect("autodoc-process-docstring", _plain_text, priority=400)
    app.connect("autodoc-process-signature", _plain_signature)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
