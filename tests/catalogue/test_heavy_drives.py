"""Generic drives for heavy joints: labelled, and enough for a shoulder that the data sheets do not carry."""

from __future__ import annotations

import numpy as np
import pytest

from gearwright.catalogue import drives, heavy_drives, rated_efficiency
from gearwright.design import SearchOptions, Task, size_drives
from gearwright.errors import DriveError, InputError
from gearwright.motion import s_curve
from gearwright.parts import GearboxSheet, Joint, Link, Robot

G = 9.81


@pytest.fixture(scope="module")
def family():
    return heavy_drives()


def shoulder() -> Robot:
    """A level arm that needs 265 Nm to be held."""
    link = Link("upper", "base", Joint("shoulder", axis=(0, 1, 0)), 20.0, (0.45, 0, 0), np.diag([0.5, 1.5, 1.5]))
    return Robot("arm", [link]).with_payload(18.0, (1.0, 0, 0))


def test_every_entry_says_that_it_is_generic(family):
    sheets = [*family.motors.values(), *family.gearboxes.values()]
    assert len(sheets) == 9
    assert all(sheet.manufacturer == "generic" and sheet.source.startswith("generic: scaled from") for sheet in sheets)
    assert all("computed, not printed" in sheet.note for sheet in family.gearboxes.values())
    assert not set(drives().motors) & set(family.motors)  # nobody gets them unasked


def test_they_carry_a_shoulder_that_the_data_sheets_do_not():
    limits = {"speed": 1.0, "acceleration": 3.0, "jerk": 30.0}
    task = Task([s_curve([0.0], [-1.0], **limits), s_curve([-1.0], [0.0], **limits)], pause=0.5)
    search = SearchOptions(samples=41)
    with pytest.raises(InputError, match="gearbox mean torque"):
        size_drives(shoulder(), task, drives(), search=search)
    found = size_drives(shoulder(), task, drives() + heavy_drives(), search=search)
    choice = found.choices["shoulder"]
    assert choice.gearbox.rated_torque > (20.0 * 0.45 + 18.0 * 1.0) * G
    assert found.analysis.is_feasible


def test_efficiency_follows_from_starting_and_back_driving_torque():
    """Without friction of the teeth the load-independent torque alone is lost; with it more, and less than half."""
    free = GearboxSheet(key="g", ratio=100.0, starting_torque=0.05, backdriving_torque=5.0, rated_torque=45.0)
    assert rated_efficiency(free) == pytest.approx(45.0 / 50.0)
    rubbing = GearboxSheet(key="g", ratio=100.0, starting_torque=0.05, backdriving_torque=6.25, rated_torque=45.0)
    assert rated_efficiency(rubbing) == pytest.approx(1 / (2 - 0.8 + 5.0 / 45.0))
    with pytest.raises(DriveError, match="starting_torque"):
        rated_efficiency(GearboxSheet(key="g", ratio=100.0, backdriving_torque=5.0, rated_torque=45.0))
