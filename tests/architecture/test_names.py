"""Names speak the language of the field: the figures of `tools/names.py` may not grow."""

import ast
import re
import runpy
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

NAMING = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "names.py"))

MOST_BARE_PARTICIPLES = 19
MOST_SINGLE_WORDS = 0.2


@pytest.fixture(scope="module")
def names():
    return NAMING["Names"]()


def test_functions_are_named_by_what_they_do_or_return(names):
    assert len(names.bare_participles) <= MOST_BARE_PARTICIPLES, names.bare_participles
    assert len(names.single_words) <= MOST_SINGLE_WORDS * len(names.functions)


def test_a_name_has_one_meaning(names):
    assert not names.repeated_classes
    assert not names.ambiguous_constants


def test_texts_use_the_terms_of_the_field():
    assert not NAMING["foreign_phrases"]()


SENTENCE = re.compile(r"\b[a-z]{2,} [a-z]+ [a-z]{2,}\b")
"""Three plain words in sequence: wording, not the name of a part, an argument or a number."""


MESSAGE = re.compile(r"str\(|remark|error|caught|\berr\b|message|warning|said|text|sentence|reason|note")
"""Names of messages in tests."""


def _is_message(comparison: ast.Compare) -> bool:
    return bool(MESSAGE.search(ast.unparse(comparison.comparators[0])))


def expected_texts(path: Path) -> Iterator[str]:
    """The patterns that errors must match, and the texts that are sought in messages."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.keyword) and node.arg == "match":
            pattern: ast.expr = node.value
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn) and _is_message(node):
            pattern = node.left
        else:
            continue
        pieces = pattern.values if isinstance(pattern, ast.JoinedStr) else [pattern]
        yield "".join(str(piece.value) if isinstance(piece, ast.Constant) else "{}" for piece in pieces)


def test_wording_is_tested_in_one_file_per_package():
    """Tests assert facts: the error's type, the part's name, the number. A reworded message breaks one file."""
    files = defaultdict(set)
    for path in Path(__file__).parents[1].rglob("test_*.py"):
        if any(SENTENCE.search(text) for text in expected_texts(path)):
            files[path.parent.name].add(path.name)
    assert not {package: names for package, names in files.items() if len(names) > 1}
