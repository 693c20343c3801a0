"""Equations are cited in the code at the line where they are used: the pages say where, and both are right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "gearwright"
LAST = {"Sciavicco": 45, "Chen": 46, "Melhem": 33, "Fernini": 90, "Vukobratovic": 111}
"""Per first author the number of the last equation; Vukobratovic's begin with 20."""
PAGE = {
    "Sciavicco": "works_sciavicco",
    "Chen": "works_chen_wang",
    "Melhem": "works_melhem_loria",
    "Fernini": "works_fernini",
    "Vukobratovic": "works_vukobratovic",
}
NUMBER = r"\((?:20\.)?\d+\)(?:-\((?:20\.)?\d+\))?"
CITATION = re.compile(rf"({'|'.join(LAST)}) ((?:[^()#\n]{{0,20}}?)(?:{NUMBER})(?:, {NUMBER})*)")
RANGE = re.compile(r"\((20\.)?(\d+)\)(?:-\((?:20\.)?(\d+)\))?")


def numbers(text: str) -> set[int]:
    return {n for _, first, last in RANGE.findall(text) for n in range(int(first), int(last or first) + 1)}


def cited() -> dict[tuple[str, str], set[int]]:
    """Per author and file the equations in comments such as `# Sciavicco (35), (44), Fernini (69)-(71)`."""
    found: dict[tuple[str, str], set[int]] = {}
    for file in [*SOURCE.rglob("*.py"), *SOURCE.rglob("*.yaml")]:
        for line in file.read_text(encoding="utf-8").splitlines():
            comment = line.partition("# ")[2]
            for author, text in CITATION.findall(comment):
                found.setdefault((author, file.relative_to(SOURCE).as_posix()), set()).update(numbers(text))
    return found


CITED = cited()


def rows(author: str) -> list[list[str]]:
    """The cells of the rows with equations in the table "Where to find it"."""
    text = (ROOT / "docs" / f"{PAGE[author]}.md").read_text(encoding="utf-8")
    table = text.split("## Where to find it")[1].split("\n## ")[0]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line[:2] == "| "]
    return [row for row in cells if RANGE.search(row[0])]


@pytest.mark.parametrize("author", LAST)
def test_every_equation_is_cited_and_no_other(author):
    every = set().union(*(found for (name, _), found in CITED.items() if name == author))
    assert every == set(range(1, LAST[author] + 1))


@pytest.mark.parametrize("author", LAST)
def test_numbers_of_the_handbook_begin_with_20(author):
    for file in SOURCE.rglob("*.py"):
        for name, text in CITATION.findall(file.read_text(encoding="utf-8")):
            if name == author:
                assert all((prefix == "20.") == (author == "Vukobratovic") for prefix, *_ in RANGE.findall(text)), text


@pytest.mark.parametrize("author", LAST)
def test_the_pages_name_the_files_that_cite_them(author):
    """The last column of a row: the files with a comment that cites an equation of the row, no more and no fewer."""
    for row in rows(author):
        wanted = numbers(row[0])
        where = sorted(file for (name, file), found in CITED.items() if name == author and found & wanted)
        assert where, f"{author} {row[0]}: cited nowhere"
        assert re.findall(r"`([^`]+)`", row[-1]) == where, f"{author} {row[0]}"
