"""Columns, unknowns and joints are told by what they are; their names may be anything."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError
from gearwright.identification import MotionLimits, TorqueModel, excite, identify, identify_payload
from gearwright.identification.fit.unknowns import model_unknowns
from gearwright.identification.model.columns import NONNEGATIVE_KINDS
from gearwright.parts import Joint, Limits, Link, Robot
from identification.arms import elbow, measured

LIMITS = Limits((-1, 1), 1.5, 4.0, 30.0)


def renamed(robot: Robot) -> Robot:
    """Its last link is called as a payload's columns are."""
    *links, last = robot.links
    return replace(robot, links=(*links, replace(last, name="payload")), frames=())


def test_a_link_called_payload_is_not_the_payload():
    robot = renamed(elbow())
    loaded = robot.with_payload(2.5, (0.35, 0.02, 0.05))
    empty = identify(robot, measured(robot, 17, noise=0.3))
    found = identify_payload(empty, measured(loaded, 18, noise=0.3))
    assert found.payload.mass == pytest.approx(2.5, rel=0.02)
    plain = identify_payload(
        identify(elbow(), measured(elbow(), 17, noise=0.3)),
        measured(elbow().with_payload(2.5, (0.35, 0.02, 0.05)), 18, noise=0.3),
    )
    np.testing.assert_allclose(found.values, plain.values, rtol=1e-9)
    model = TorqueModel(gw.assemble(robot), payload="payload")
    assert len(set(model.every_name)) == len(model.every_name)


def test_a_model_of_the_payload_alone_needs_its_body():
    with pytest.raises(InputError, match="only_payload"):
        TorqueModel(gw.assemble(elbow()), only_payload=True)


@pytest.mark.parametrize("name", ["elbow", "sea_leg", "scara", "planetary_3r"])
def test_kinds_and_units(name):
    robot = gw.load(name)
    mech = gw.assemble(robot)
    model = TorqueModel(mech)
    what = model_unknowns(model, robot)
    assert all(column.unit for column in (*model.every_column, *what.columns))
    kinds = [column.kind for column in model.every_column]
    assert kinds.count("mass") == len(mech.bodies)
    assert kinds.count("wheel") == len(mech.spins)
    assert kinds.count("stiffness") == kinds.count("damping") == len(mech.springs)
    assert {what.columns[k].kind for k in what.nonnegative_indices} <= NONNEGATIVE_KINDS
    assert len(what.nonnegative_indices) == sum(column.kind in NONNEGATIVE_KINDS for column in what.columns)


def test_sliding_joints_have_other_units():
    model = TorqueModel(
        gw.Mechanism([gw.Body("lift", joint="prismatic", mass=1)], springs=[gw.Spring("s", [1.0], 5.0)])
    )
    units = {column.name: column.unit for column in model.columns}
    assert units["lift.viscous"] == "N s/m"
    assert units["lift.coulomb"] == "N"
    assert units["s.stiffness"] == "N/m"
    assert units["s.damping"] == "N s/m"


def test_names_that_look_like_something_else():
    """A link and a joint whose names end as those of friction and wheels do."""
    link = Link("arm.J", joint=Joint("j.offset", axis=(0, 1, 0), limits=LIMITS), mass=2, com=(0.3, 0, 0))
    robot = Robot("odd", [link])
    what = model_unknowns(TorqueModel(gw.assemble(robot)), robot)
    assert [what.names[k] for k in what.nonnegative_indices] == ["j.offset.viscous", "j.offset.coulomb"]


def test_a_joint_with_a_dot_is_not_a_shaft():
    link = Link("arm", joint=Joint("arm.1", axis=(0, 1, 0), limits=LIMITS), mass=2, com=(0.3, 0, 0))
    motion = excite(
        Robot("dotted", [link]), search=gw.identification.ExcitationOptions(starts=1, steps=5, samples=40)
    ).motion.sample(500)
    assert np.abs(motion.q).max() <= 1
    assert np.abs(motion.v).max() <= 1.5


def test_a_shaft_has_no_limits_of_its_own():
    robot = gw.load("sea_leg")
    with pytest.raises(InputError, match=r"shafts.*limits"):
        excite(robot, search=gw.identification.ExcitationOptions(starts=1, steps=0))
    n = gw.assemble(robot).n
    assert (
        excite(
            robot,
            MotionLimits([-1] * n, [1] * n, [1] * n, [5] * n),
            search=gw.identification.ExcitationOptions(starts=1, steps=0, samples=60),
        ).rank
        > 0
    )
