"""Impacts while end stops or contacts are closed: what an impact drives away opens, everything else stays closed.

A carriage slides vertically and a hammer slides on it. All speeds after an impact follow from momentum and restitution.
"""

import numpy as np
import pytest

import gearwright as gw
from gearwright.contact import Contact, Plane
from gearwright.forces import Line, Stops
from gearwright.simulation import IntegratorOptions

CARRIAGE, HAMMER, GRAVITY, STOP = 1.5, 0.7, 9.81, 0.1
RESTS = [("stop", "python"), ("stop", "compiled"), ("contact", "python"), ("rough contact", "python")]
"""What holds the carriage, and the engine; modes of rigid contacts are found in Python."""


def slider(name, parent, mass):
    geometry = {"axis": (0, 0, 1), "rotation": np.eye(3), "position": (0, 0, 0), "com": (0, 0, 0)}
    return gw.Body(name, parent, "prismatic", mass=mass, inertia=0.01 * np.eye(3), joint_name=name, **geometry)


MACHINE = gw.Mechanism([slider("lift", -1, CARRIAGE), slider("stroke", 0, HAMMER)])


def stop(speed, lower, upper, restitution=0.0):
    return Stops(f"{speed}.stops", Line.for_machine(MACHINE, speed), lower, upper, restitution)


def floor(body, friction):
    return Contact(body, Plane((0, 0, 0), (0, 0, 1)), friction=friction, name="floor")


def first_impact(start, laws, engine="auto", inputs=None):
    """Time and speeds of the first impact, before and after, and what changes at this instant."""
    options = {"laws": laws, "inputs": inputs, "integrator": IntegratorOptions(engine=engine)}
    run = gw.simulate(MACHINE, start, until=0.2, samples=21, **options)
    t = next(event.t for event in run.events if event.t > 1e-6)
    around = gw.simulate(MACHINE, start, until=0.2, samples=[0, t - 1e-9, t + 1e-9, 0.2], **options)
    assert run.drift < 1e-8
    return t, around.v[1], around.v[2], [(event.name, event.kind) for event in run.events if abs(event.t - t) < 1e-9]


@pytest.mark.parametrize("restitution", [0.0, 0.6])
@pytest.mark.parametrize(("rest", "engine"), RESTS)
def test_a_stop_lifts_what_rests(rest, restitution, engine):
    """The hammer meets its upper stop and takes the resting carriage along."""
    rests_on = stop("lift", 0.0, 1.0) if rest == "stop" else floor("lift", 0.4 * (rest == "rough contact"))
    laws = (stop("stroke", -STOP, STOP, restitution), rests_on)
    _, before, after, changes = first_impact(([0, 0], [0, 3.0]), laws, engine)
    assert before[0] == pytest.approx(0, abs=1e-12)
    lifted = HAMMER / (HAMMER + CARRIAGE) * (1 + restitution) * before[1]
    assert after == pytest.approx([lifted, -restitution * before[1]], rel=1e-6, abs=1e-6)
    assert (rests_on.name, "free") in changes


@pytest.mark.parametrize(("rest", "engine"), RESTS)
def test_a_stop_that_is_pressed_stays_closed(rest, engine):
    """The hammer meets its lower stop and presses the carriage down."""
    rests_on = stop("lift", 0.0, 1.0) if rest == "stop" else floor("lift", 0.4 * (rest == "rough contact"))
    laws = (stop("stroke", -STOP, STOP), rests_on)
    _, _, after, changes = first_impact(([0, 0], [0, -3.0]), laws, engine)
    assert after == pytest.approx([0, 0], abs=1e-9)
    assert changes == [("stroke.stops", "lower")]


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_a_foot_that_lands_opens_the_stop_above_it(friction):
    """A foot, pressed against its lower stop, meets the floor: it rests, and the mass above continues."""
    laws = (stop("stroke", -STOP, STOP), floor("stroke", friction))
    start = ([STOP + 0.05, -STOP], [-1.0, 0.0])
    t, before, after, changes = first_impact(start, laws, inputs={"tau.stroke": -20.0})
    assert before == pytest.approx([-1.0 - GRAVITY * t, 0], abs=1e-6)
    assert after == pytest.approx([before[0], -before[0]], abs=1e-5)
    assert ("stroke.stops", "free") in changes


def test_sensitivities_through_an_impact_that_opens_a_stop():
    laws = (stop("stroke", -STOP, STOP, 0.3), stop("lift", 0.0, 1.0))

    def run(speed, **more):
        return gw.simulate(MACHINE, ([0, 0], [0, speed]), until=0.1, laws=laws, samples=2, **more)

    exact = run(3.0, sensitivities=["start.v.stroke"]).sensitivities["q"]["start.v.stroke"][-1]
    step = 1e-5
    difference = (run(3.0 + step).q[-1] - run(3.0 - step).q[-1]) / (2 * step)
    assert exact == pytest.approx(difference, rel=1e-6)
