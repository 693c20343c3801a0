"""A limit is one row of the table: check, unchecked limits, screening, sizing and report follow from it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from design.test_mounting import MASS, G, articles, beam, still
from gearwright.analysis import analyse
from gearwright.analysis.drives import limit_kinds
from gearwright.analysis.drives.limit_kinds import LIMIT_KINDS, SHAFT_RADIAL_LOAD, LimitKey, LimitKind
from gearwright.catalogue import Catalogue
from gearwright.design import SearchOptions, size_drives
from gearwright.design.candidates.candidates import catalogue_candidates
from gearwright.design.candidates.drive_influence import drive_space
from gearwright.design.search.drive_sets import DriveSets
from gearwright.errors import InputError
from gearwright.report import report

LEVEL = (0, 1, 0)
"""A level axis: the weight of the beam is a radial load."""
HALF_LOAD = 0.5 * MASS * G
"""Permissible radial load, half the weight."""
NEW_LIMIT = LimitKind(
    name="joint reaction",
    unit="N",
    part="gearbox",
    characteristic="output_shaft_load.radial",
    sheet_field="radial_load",
    group="reaction",
)
"""A limit that the table does not have."""


def without(kind: LimitKind):
    return tuple(row for row in LIMIT_KINDS if row != kind)


def consequences(tmp_path, name: str) -> dict[str, bool]:
    """Where a limit of a gearbox appears whose data sheet states half the load, or nothing."""
    gear, sheet, table = articles(radial_load=HALF_LOAD)
    empty = Catalogue(table.motors, {"g": replace(gear, radial_load=None)})
    robot = beam(LEVEL, gear, sheet)
    checked = analyse(robot, still(), catalogue=table, samples=11)
    unchecked = analyse(robot, still(), catalogue=empty, samples=11).unchecked
    space = drive_space(robot, still(), ["hinge"], 11)
    sets = DriveSets(space, tuple(catalogue_candidates(basis, table) for basis in space.drives))
    screened = {key.kind.name: share for key, share in sets.limit_shares(np.array([0])).items()}
    if name in screened:
        assert screened[name] == pytest.approx(2.0, rel=1e-12)
    try:
        size_drives(robot, still(), table, search=SearchOptions(samples=11))
        refusal = ""
    except InputError as error:
        refusal = str(error)
    page = tmp_path / "page.html"
    report(checked, page)
    row = next((row for row in LIMIT_KINDS if row.name == name), NEW_LIMIT)
    return {
        "check": any(check.key == LimitKey("hinge", row) and not check.is_satisfied for check in checked.limits),
        "unchecked": any(row.group in entry.kinds and "radial_load" in entry.reason for entry in unchecked),
        "screening": name in screened,
        "sizing": f"hinge: {name}" in refusal,
        "report": f"hinge: {name}" in page.read_text(encoding="utf-8"),
    }


def test_the_radial_load_of_an_output_shaft_is_one_row(tmp_path, monkeypatch):
    assert all(consequences(tmp_path, SHAFT_RADIAL_LOAD.name).values())
    monkeypatch.setattr(limit_kinds, "LIMIT_KINDS", without(SHAFT_RADIAL_LOAD))
    assert not any(consequences(tmp_path, SHAFT_RADIAL_LOAD.name).values())


def test_a_new_limit_is_a_new_row(tmp_path, monkeypatch):
    assert not any(consequences(tmp_path, NEW_LIMIT.name).values())
    monkeypatch.setattr(limit_kinds, "LIMIT_KINDS", (*without(SHAFT_RADIAL_LOAD), NEW_LIMIT))
    assert all(consequences(tmp_path, NEW_LIMIT.name).values())


def test_names_of_limits_are_unique():
    names = [kind.name for kind in LIMIT_KINDS]
    assert len(set(names)) == len(names)


def test_every_row_is_complete():
    """A limit of a data sheet states its unit, its quantity, and the group under which it is listed if unchecked."""
    for kind in LIMIT_KINDS:
        assert kind.unit or kind.prismatic_unit, kind.name
        assert kind.remedy, kind.name
        assert not kind.also_covers or kind.group, kind.name
        assert not kind.sheet_field or kind.characteristic, kind.name
