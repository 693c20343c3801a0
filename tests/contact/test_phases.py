"""The phases of a run in contact, and its picture."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.contact import Contact, Plane, SoftContact

BALL = gw.Mechanism([gw.Body("ball", joint="prismatic", axis=(0, 0, 1), mass=1.0)])


def fallen(law, height=0.2, until=0.6, **more):
    return gw.simulate(BALL, [height], until=until, laws=[law], samples=31, method="adaptive", **more)


def kinds(run):
    return [span.kind for span in run.phases["floor"]]


def test_a_ball_approaches_strikes_and_rests():
    run = fallen(Contact("ball", Plane(), name="floor"))
    assert kinds(run) == ["approach", "impact", "constrained"]
    approach, impact, constrained = run.phases["floor"]
    assert impact.begin == impact.end == approach.end == constrained.begin == pytest.approx(np.sqrt(0.4 / 9.81))
    assert (approach.begin, constrained.end) == (0.0, 0.6)


def test_every_bounce_is_an_impact_and_the_last_one_ends_in_contact():
    run = fallen(Contact("ball", Plane(), restitution=0.5, name="floor"), until=1.0)
    found = kinds(run)
    assert found[0] == "approach"
    assert set(found[1:-1:2]) == {"impact"}
    assert set(found[2:-1:2]) == {"release"}
    assert len(found) > 20
    assert found[-1] == "constrained"


def test_it_is_lifted_off():
    """Phases follow each other without a gap; rest at the start is not an impact."""
    run = fallen(Contact("ball", Plane(), name="floor"), 0.0, inputs={"tau.ball": lambda t: 40.0 * t})
    assert kinds(run) == ["constrained", "release"]
    assert run.phases["floor"][0].end == pytest.approx(9.81 / 40.0, abs=1e-9)


def test_a_soft_surface_has_no_impact():
    run = fallen(SoftContact("ball", Plane(), 1e4, 200.0, name="floor"))
    assert kinds(run)[:2] == ["approach", "constrained"]
    assert "impact" not in kinds(run)


def test_what_is_not_a_contact_has_no_phases():
    line = gw.forces.Line.for_machine(BALL, "ball")
    run = gw.simulate(BALL, [0.2], until=0.4, laws=[gw.forces.Stops("ends", line, 0.0, 1.0)], samples=5)
    assert run.phases == {}
    stepped = gw.simulate(
        BALL,
        [0.2],
        until=0.4,
        laws=[Contact("ball", Plane(), name="floor")],
        samples=5,
        method="moreau",
        integrator=gw.analysis.IntegratorOptions(step=1e-3),
    )
    assert stepped.phases == {}


def test_the_picture_shows_them(tmp_path):
    """In every panel a span per phase and a line per impact, beside forces and gaps of the contact."""
    run = fallen(Contact("ball", Plane(), name="floor"))
    page = run.plot(path=tmp_path / "run.png")
    assert (tmp_path / "run.png").stat().st_size > 10_000
    words = {text.get_text() for text in page.legends[0].get_texts()}
    assert {"approach", "impact", "constrained"} <= words
    labels = [axes.get_ylabel() for axes in page.axes]
    assert "force of contact [N]" in labels
    assert "gap of contact [m]" in labels
    assert all(len(axes.patches) == 2 for axes in page.axes)
    assert fallen(Contact("ball", Plane(), name="other")).phases.keys() == {"other"}
