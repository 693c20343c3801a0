"""The public list: sorted, every name exists and is documented; every module's examples run."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw

PACKAGE_ROOT = Path(gw.__file__).parent
MODULES = sorted(
    name for _, name, _ in pkgutil.walk_packages([str(PACKAGE_ROOT)], "gearwright.") if not name.endswith("__main__")
)
NEEDED = {"gearwright.export.torch_backend": "torch"}
"""Modules whose examples need a library that is not installed everywhere."""
LISTS = ["gearwright", *(name for name in MODULES if hasattr(importlib.import_module(name), "__all__"))]


def test_public_list_is_sorted():
    assert list(gw.__all__) == sorted(set(gw.__all__))


@pytest.mark.parametrize("module", LISTS)
def test_listed_names_exist(module):
    namespace = importlib.import_module(module)
    assert [name for name in namespace.__all__ if not hasattr(namespace, name)] == []
    assert len(set(namespace.__all__)) == len(namespace.__all__)


@pytest.mark.parametrize("name", [name for name in gw.__all__ if name != "__version__"])
def test_public_name_is_documented(name):
    thing = getattr(gw, name)
    text = inspect.getdoc(thing) or ""
    assert len(text) > 20, f"{name} has no docstring"
    if inspect.isclass(thing):
        generated = f"{name}("  # what dataclasses write when nobody else does
        assert not text.startswith(generated)


@pytest.mark.parametrize("name", gw.parts.__all__)
def test_part_is_documented(name):
    thing = getattr(gw.parts, name)
    assert not inspect.isclass(thing) or not (inspect.getdoc(thing) or f"{name}(").startswith(f"{name}(")


def test_nothing_public_is_left_out():
    """A function or class that the public interface imports is on the list."""
    found = {
        name
        for name, thing in vars(gw).items()
        if (inspect.isfunction(thing) or inspect.isclass(thing)) and not name.startswith("_")
    }
    assert found <= set(gw.__all__)


def test_version_is_one():
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", gw.__version__)


@pytest.mark.parametrize("module", ["gearwright", *MODULES])
def test_examples_in_docstrings_run(module, monkeypatch, tmp_path):
    if module in NEEDED:
        pytest.importorskip(NEEDED[module])
    monkeypatch.chdir(tmp_path)
    with np.printoptions(legacy=False):
        result = doctest.testmod(importlib.import_module(module), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder()
    count = sum(bool(test.examples) for name in MODULES for test in finder.find(importlib.import_module(name)))
    assert count >= 20
