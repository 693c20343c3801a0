"""What the project says about itself agrees with what it is: extras, versions, citation, workflows."""

from __future__ import annotations

import ast
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest
import yaml

from gearwright import __version__

ROOT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = SETTINGS["project"]
EXTRAS = {name: libraries for name, libraries in PROJECT["optional-dependencies"].items() if name != "all"}
IMPORTED_AS = {"pin": "pinocchio", "pycollada": "collada", "scikit-sundae": "sksundae"}
"""Libraries whose module has another name."""
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
AUTHORS = [
    ["Sciavicco", "Siciliano", "Villani"],
    ["Chen", "Wang"],
    ["Melhem", "Loria"],
    ["Fernini"],
    ["Vukobratović", "Potkonjak"],
]


def library(requirement: str) -> str:
    return re.match(r"[\w.-]+", requirement).group()


@cache
def imported_modules() -> set[str]:
    """The first names of all modules that files of `src` import, inside functions too."""
    found: set[str] = set()
    for file in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.add(node.module.partition(".")[0])
    return found


def unused(libraries: list[str]) -> set[str]:
    names = {library(each) for each in libraries}
    return {name for name in names if IMPORTED_AS.get(name, name).replace("-", "_") not in imported_modules()}


@pytest.mark.parametrize("extra", EXTRAS)
def test_extras_name_only_what_code_imports(extra):
    assert not unused(EXTRAS[extra])


def test_the_test_of_extras_sees_what_nothing_imports():
    assert unused(["ray>=2", "jax>=0.4"]) == {"ray"}


def test_all_means_all():
    (everything,) = PROJECT["optional-dependencies"]["all"]
    assert everything == f"gearwright[{','.join(EXTRAS)}]"


def test_the_tests_have_every_extra():
    """With the same bounds, so that what is tested is what users get.

    But for PyTorch, whose newest pulls in CUDA, and Newton, hundreds of megabytes: its test is skipped without it.
    """
    asked = {each for libraries in EXTRAS.values() for each in libraries}
    tested = SETTINGS["dependency-groups"]["dev"]
    assert {each for each in asked if library(each) not in ("torch", "newton", "mujoco-warp")} <= set(tested)
    assert "torch" in map(library, tested)


def test_messages_name_extras_that_exist():
    named = {
        name
        for file in (ROOT / "src").rglob("*.py")
        for name in re.findall(r"gearwright\[(\w+)\]", file.read_text(encoding="utf-8"))
    }
    assert named
    assert named <= {*EXTRAS, "all"}


def test_python_versions_agree():
    classified = [each.rpartition(" ")[2] for each in PROJECT["classifiers"] if " :: Python :: 3." in each]
    workflow = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text(encoding="utf-8"))
    assert classified == workflow["jobs"]["test"]["strategy"]["matrix"]["python"] == PYTHONS
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"


def test_workflows_call_rules_of_the_makefile():
    rules = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    called = {
        word
        for file in (ROOT / ".github/workflows").glob("*.yml")
        for word in re.findall(r"run: make (\w+)", file.read_text(encoding="utf-8"))
    }
    assert called == {"test", "coverage", "changelog"}
    assert called <= rules


@pytest.mark.parametrize("file", sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml")), ids=lambda file: file.name)
def test_issue_templates_are_forms(file):
    form = yaml.safe_load(file.read_text(encoding="utf-8"))
    if file.name != "config.yml":
        assert {"name", "description", "body"} <= set(form)
        assert all(field["attributes"]["label"] for field in form["body"])


def test_the_citation_is_of_this_version_and_names_the_five_works():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(cited)  # what the format demands
    assert (cited["cff-version"], cited["version"], cited["license"]) == ("1.2.0", __version__, PROJECT["license"])
    assert [[author["family-names"] for author in work["authors"]] for work in cited["references"]] == AUTHORS
    assert all(work["title"] and work["type"] for work in cited["references"])


def test_addresses_are_given():
    assert {"Homepage", "Documentation", "Source", "Issues", "Changelog"} <= set(PROJECT["urls"])
    assert all(address.startswith("https://") for address in PROJECT["urls"].values())


def test_no_merge_is_left_half_done():
    texts = [ROOT / name for name in ("Makefile", "pyproject.toml", "README.md", "CHANGELOG.md", "CONTRIBUTING.md")]
    texts += [
        path
        for folder in ("src", "tests", "docs", "examples", "tools", "benchmarks")
        for path in (ROOT / folder).rglob("*")
    ]
    marked = [
        str(path)
        for path in texts
        if path.suffix in ("", ".md", ".py", ".toml", ".yaml") and path.is_file()
        if "\n<<<<<<< " in path.read_text(encoding="utf-8", errors="ignore")
    ]
    assert marked == []
