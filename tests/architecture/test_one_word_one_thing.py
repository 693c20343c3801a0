"""A word of the package means one thing, and names say what they hold."""

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import gearwright

PACKAGE_ROOT = Path(gearwright.__file__).parent
DEFINED_ONCE = ("Frame", "SpeedLayout", "Modes", "Operations", "SmoothSegment", "Placement", "Row", "System", "Task")
VAGUE = ("blur", "heard", "knob", "prompt", "pushed", "put", "seen", "served", "several", "struck", "unusual")


@cache
def trees() -> tuple[ast.Module, ...]:
    return tuple(ast.parse(file.read_text(encoding="utf-8")) for file in PACKAGE_ROOT.rglob("*.py"))


def defined(tree: ast.Module) -> Iterator[str]:
    """The classes and the names given to types by a module."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def given_names(tree: ast.Module) -> Iterator[str]:
    """What variables, arguments, attributes, functions and classes are called."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name


@pytest.mark.parametrize("word", DEFINED_ONCE)
def test_a_word_is_defined_once(word):
    assert Counter(name for tree in trees() for name in defined(tree))[word] <= 1


def test_names_say_what_they_hold():
    found = {name for tree in trees() for name in given_names(tree)}
    assert not {name for name in found if name.strip("_").lower() in VAGUE}
