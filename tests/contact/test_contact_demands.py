"""The direct problem in contact: what a motion and a contact force ask of the drives."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.contact import Constraint, Contact, Plane, fixed_frame
from gearwright.errors import InputError
from gearwright.motion import polynomial

ARM = gw.load("elbow")
MECH = gw.assemble(ARM)
MOVE = polynomial([0.1, -0.4, 0.8], [0.5, -0.2, 0.6], duration=1.0)


def test_a_force_at_the_tip_is_carried_by_the_drives():
    pen = Constraint("pen", "link3", fixed_frame("desk"), held=("z",))
    plain = gw.demands(ARM, MOVE, samples=11)
    loaded = gw.demands(ARM, MOVE, laws=[pen], contact={"pen": lambda t: 20.0 + 5.0 * t}, samples=11)
    rows = np.array([gw.jacobian(MECH, q, "link3")[2] for q in plain.motion.q])
    force = 20.0 + 5.0 * plain.motion.t
    assert loaded.tau == pytest.approx(plain.tau - rows * force[:, None], abs=1e-9)


def test_contacts_that_are_not_named_do_not_touch():
    floor = Contact("link3", Plane((0, 0, -5)), friction=0.3, name="floor")
    plain = gw.demands(ARM, MOVE, samples=11)
    assert gw.demands(ARM, MOVE, laws=[floor], samples=11).tau == pytest.approx(plain.tau)
    pressed = gw.demands(ARM, MOVE, laws=[floor], contact={"floor.force": 10.0, "floor.force_1": 2.0}, samples=11)
    assert np.abs(pressed.tau - plain.tau).max() > 1.0


def test_what_is_asked_makes_the_arm_slide_with_that_force():
    """Fed with its demands, the arm on the desk moves that way, and presses with the force asked for."""
    pen = Constraint("pen", "link3", fixed_frame("desk", (0, 0, 0.1)), held=("z",))
    free = gw.contact.project(MECH, [0.3, -0.3, 0.9], [pen])
    turn = polynomial(
        free.q, free.q + np.array([0.6, 0.0, 0.0]), duration=0.5
    )  # about the vertical: it stays on the desk
    asked = gw.demands(ARM, turn, laws=[pen], contact={"pen.force.z": 15.0}, samples=101)
    run = gw.simulate(
        MECH,
        asked.start,
        until=0.5,
        laws=[pen],
        inputs={f"tau.{name}": (asked.motion.t, asked.tau[:, k]) for k, name in enumerate(MECH.speeds)},
        samples=11,
        method="adaptive",
    )
    assert run["pen.force.z"] == pytest.approx(np.full(11, 15.0), abs=0.05)  # torques between samples are straight
    assert run.q[-1] == pytest.approx(turn.at(0.5), abs=1e-3)


def test_bad_names_are_refused():
    pen = Constraint("pen", "link3", "base", held=("y", "z"))
    with pytest.raises(InputError, match=r"pen\.force\.y, pen\.force\.z.*contact="):
        gw.demands(ARM, MOVE, laws=[pen])
    with pytest.raises(InputError, match=r"'pen'.*pen\.force\.y, pen\.force\.z"):
        gw.demands(ARM, MOVE, laws=[pen], contact={"pen": 1.0})
    with pytest.raises(InputError, match=r"'pem'.*pen\.force\.y, pen\.force\.z"):
        gw.demands(ARM, MOVE, laws=[pen], contact={"pem": 1.0})
