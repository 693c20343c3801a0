"""Count what is poorly named in the sources: `python tools/names.py` prints the figures, `--list` the names too.

Counted are functions and methods without dunders. Nouns that look like a participle (speed, spring, winding) do not
count. The limits stand in `tests/architecture/test_names.py`.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "gearwright"

NOUNS = frozenset(
    ("speed", "feed", "seed", "need", "bed", "ring", "string", "spring", "winding", "bearing", "damping", "coupling")
)
"""Nouns that end like a participle."""

PARTICIPLES = frozenset(
    (
        "told",
        "kept",
        "made",
        "found",
        "given",
        "taken",
        "held",
        "drawn",
        "known",
        "seen",
        "said",
        "gone",
        "done",
        "put",
        "cut",
        "bent",
        "built",
        "bound",
        "brought",
        "caught",
        "chosen",
        "driven",
        "fallen",
        "felt",
        "fed",
        "grown",
        "heard",
        "hidden",
        "laid",
        "led",
        "left",
        "lent",
        "let",
        "lost",
        "meant",
        "met",
        "paid",
        "sent",
        "shown",
        "shut",
        "spent",
        "spread",
        "stood",
        "struck",
        "taught",
        "thought",
        "thrown",
        "understood",
        "won",
        "worn",
        "written",
        "begun",
        "broken",
        "able",
        "here",
    )
)
"""Irregular participles, and moods that say as little."""

PHRASES = (
    *("nothing beats", "again and again", "is let pass", "not told", "are told", "is told", "somebody", "who wants to"),
    *("for who", "have no say", "has its say", "whatever", "made us say", "does not let itself", "comes up to"),
    *("so many", "gives by", "goes wrong", "at hand", "what helps", "as warm as", "stands beside", "is nobody's"),
    *("with all that", "in the wild", "for ever", "let pass", "never will be", "one after the other"),
)
"""Phrases that are not the terms of the field."""


@dataclass(frozen=True)
class Module:
    """A source file and its syntax tree."""

    path: Path
    tree: ast.Module

    @property
    def name(self) -> str:
        """The path from the package on."""
        return str(self.path.relative_to(SOURCE))


class Names:
    """The names that the modules define."""

    @cached_property
    def modules(self) -> list[Module]:
        """All modules of the package."""
        return [Module(path, ast.parse(path.read_text(encoding="utf-8"))) for path in sorted(SOURCE.rglob("*.py"))]

    @cached_property
    def functions(self) -> list[str]:
        """Every function, method and property without dunders: file, line and name."""
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
        nodes = ((module, node) for module in self.modules for node in ast.walk(module.tree) if isinstance(node, kinds))
        return [f"{module.name}:{node.lineno} {node.name}" for module, node in nodes if not node.name.startswith("__")]

    @cached_property
    def single_words(self) -> list[str]:
        """Functions named by one word."""
        return [function for function in self.functions if "_" not in _bare_name(function)]

    @cached_property
    def bare_participles(self) -> list[str]:
        """Functions named by a participle alone."""
        return [function for function in self.single_words if is_participle(_bare_name(function))]

    @cached_property
    def repeated_classes(self) -> dict[str, list[str]]:
        """Public classes that several files define."""
        places = defaultdict(list)
        for module in self.modules:
            for node in ast.walk(module.tree):
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    places[node.name].append(module.name)
        return {name: files for name, files in places.items() if len(files) > 1}

    @cached_property
    def ambiguous_constants(self) -> dict[str, list[str]]:
        """Constants of one name with different values."""
        values = defaultdict(set)
        for module in self.modules:
            for name, value in constants(module.tree):
                values[name].add(ast.unparse(value))
        return {name: sorted(texts) for name, texts in values.items() if len(texts) > 1}


def _bare_name(function: str) -> str:
    return function.rpartition(" ")[2].strip("_")


def is_participle(word: str) -> bool:
    """Whether a word is a participle and no noun.

    >>> is_participle("moved"), is_participle("kept"), is_participle("speed")
    (True, True, False)
    """
    return word not in NOUNS and (word.endswith(("ed", "ing")) or word in PARTICIPLES)


def constants(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Names in capitals that a module assigns, with their values."""
    for node in tree.body:
        if not isinstance(node, ast.Assign | ast.AnnAssign):
            continue
        value = node.value
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if isinstance(target, ast.Name) and re.fullmatch(r"_?[A-Z][A-Z0-9_]*", target.id) and value is not None:
                yield target.id, value


def foreign_phrases() -> list[str]:
    """Phrases that must not stand in sources and pages, with their places."""
    pattern = re.compile(r"\b(" + "|".join(phrase.replace(" ", r"\s+(?:#\s*)?") for phrase in PHRASES) + r")\b", re.I)
    files = [*SOURCE.rglob("*.py"), *(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "_ext").glob("*.py")]
    places = []
    for path in sorted(files):
        text = path.read_text(encoding="utf-8")
        for match in pattern.finditer(text):
            places.append(f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1} {match[0]}")
    return places


def main(arguments: list[str]) -> None:
    """Print the figures, with `--list` also what they count."""
    names = Names()
    share = len(names.single_words) / len(names.functions)
    phrases = foreign_phrases()
    print(f"functions                              {len(names.functions)}")
    print(f"named by a single word                 {share:.0%}")
    print(f"named by a bare participle             {len(names.bare_participles)}")
    print(f"public class names defined twice       {len(names.repeated_classes)}")
    print(f"constants of one name, several values  {len(names.ambiguous_constants)}")
    print(f"phrases outside the terms of the field {len(phrases)}")
    if "--list" in arguments:
        lists = (names.bare_participles, names.repeated_classes, names.ambiguous_constants, phrases)
        print(*(line for part in lists for line in part), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
