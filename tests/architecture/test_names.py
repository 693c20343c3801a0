"""Names speak the language of the field: the figures of `tools/names.py` may not grow."""

import runpy
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
