"""Environments in several coordinates, nonlinear ones among them, and deformation on both sides."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gearwright as gw
from gearwright.contact import Constraint, Contact, Environment, Plane, SoftContact, fixed_frame, project, with_wall
from gearwright.errors import InputError

K1, K2 = 4e3, 9e4


def slider(mass: float = 1.0) -> gw.parts.Robot:
    """A mass that slides along x."""
    link = gw.parts.Link("ram", joint=gw.parts.Joint(kind="prismatic", axis=(1, 0, 0)), mass=mass)
    return gw.parts.Robot("slider", [link], gravity=(0, 0, 0))


def point(mass: float = 2.0) -> gw.Mechanism:
    """A point that moves along x and y."""
    return gw.Mechanism(
        [gw.Body("x", -1, "prismatic", (1, 0, 0)), gw.Body("y", 0, "prismatic", (0, 1, 0), mass=mass)],
        gravity=(0, -9.81, 0),
    )


def inertia(s, ops):
    """A pendulum's worth: what moves along y is heavier the farther x is."""
    return [[1.5, 0.2 * s[0]], [0.2 * s[0], 1.0 + 3.0 * s[0] * s[0]]]


def energy(s, ops):
    """A stiffness along y that grows with x, and a hardening one along x."""
    return 0.5 * 40.0 * (1.0 + s[0] * s[0]) * s[1] * s[1] + 25.0 * s[0] * s[0] + 50.0 * s[0] ** 4


def damping(s, ops):
    return [[0.3 + s[0] * s[0], 0.1], [0.1, 0.4]]


def lagrange(mass, until, q, v):
    """The same motion, by Lagrange's equations written out by hand."""

    def rates(t, y):
        x, z, u, w = y
        M = np.array([[1.5, 0.2 * x], [0.2 * x, 1.0 + 3.0 * x * x]]) + mass * np.eye(2)
        speed = np.array([u, w])
        by_x = np.array([[0, 0.2], [0.2, 6 * x]])
        turning = by_x * u @ speed - np.array([0.5 * speed @ by_x @ speed, 0])
        spring = np.array([40 * x * z * z + 50 * x + 200 * x**3, 40 * (1 + x * x) * z])
        rest = np.array([[0.3 + x * x, 0.1], [0.1, 0.4]]) @ speed + turning + spring + [0, mass * 9.81]
        return [u, w, *np.linalg.solve(M, -rest)]

    return solve_ivp(rates, (0, until), [*q, *v], rtol=1e-11, atol=1e-12).y[:, -1]


def test_inertia_damping_and_stiffness_as_functions_of_s():
    mech = point()
    lines = [gw.forces.displacement(mech, "y", axis=axis) for axis in ((1, 0, 0), (0, 1, 0))]
    law = Environment("field", lines, inertia, damping, energy=energy)
    start = np.array([0.3, -0.2]), np.array([0.5, 1.0])
    run = gw.simulate(
        mech,
        start,
        until=0.8,
        laws=[law],
        samples=5,
        method="adaptive",
        integrator=gw.analysis.IntegratorOptions(rtol=1e-9, atol=1e-11),
    )
    expected = lagrange(2.0, 0.8, *start)
    assert np.concatenate([run.q[-1], run.v[-1]]) == pytest.approx(expected, abs=1e-7)
    assert run.drift < 1e-8
    assert run["field.s1"] == pytest.approx(run.q[:, 0])
    force = np.array([run["field.force1"], run["field.force2"]]).T
    assert force - np.array([0, 2.0 * 9.81]) == pytest.approx(2.0 * run.a, abs=1e-8)


def test_demands_feel_the_environment():
    """What a motion asks for is what its environment takes, inertia included; fed with it, the point moves that way."""
    mech = point()
    lines = [gw.forces.displacement(mech, "y", axis=axis) for axis in ((1, 0, 0), (0, 1, 0))]
    law = Environment("field", lines, inertia, damping, energy=energy)
    move = gw.motion.polynomial([0.1, -0.2], [0.4, 0.3], duration=0.5)
    asked = gw.demands(mech, move, laws=[law], samples=11)
    k = 5
    q, v, a = asked.motion.q[k], asked.motion.v[k], asked.motion.a[k]
    at = gw.simulate(mech, (q, v), until=1e-6, inputs=asked.tau[k], laws=[law], samples=2, method="adaptive")
    assert at.a[0] == pytest.approx(a, abs=1e-8)


def test_hertz_and_soft_contact_agree():
    """A one-sided environment with the energy of Hertz is the soft contact of that exponent."""
    robot = slider()
    depth = gw.forces.displacement(robot, "ram", axis=(1, 0, 0))

    def hertz(s, ops):
        return 1e5 * s[0] * s[0] * ops.sqrt(ops.maximum(s[0], 1e-30)) / 2.5

    wall = Environment("wall", [depth], energy=hertz, one_sided=True)
    soft = SoftContact("ram", Plane((0, 0, 0), (-1, 0, 0)), 1e5, exponent=1.5, name="soft")
    runs = [
        gw.simulate(
            robot,
            ([-0.01], [0.4]),
            until=0.1,
            laws=[law],
            samples=41,
            method="adaptive",
            integrator=gw.analysis.IntegratorOptions(rtol=1e-10),
        )
        for law in (wall, soft)
    ]
    assert runs[0].v[-1] == pytest.approx(runs[1].v[-1], rel=1e-6)
    assert runs[0]["wall.force1"] == pytest.approx(-runs[1]["soft.force"], abs=1e-3)
    assert [event.kind for event in runs[0].events] == ["press", "free"]
    assert max(run.drift for run in runs) < 1e-7


def test_a_stiff_environment_in_two_coordinates_approaches_the_constraint():
    """An arm tied to a point of the desk by springs of growing stiffness, critically damped."""
    mech = gw.assemble(gw.load("elbow"))
    p = gw.placement(mech, [0.3, -0.3, 0.9], "tool")[1]
    held = Constraint("pin", "tool", fixed_frame("desk", p), held=("x", "z"))
    start = project(mech, ([0.3, -0.3, 0.9], [0.5, 0.3, -0.5]), [held])
    rigid = gw.simulate(mech, start, until=0.05, laws=[held], samples=3)
    errors = []
    for k in (1e5, 1e6):
        lines = [gw.forces.displacement(mech, "tool", fixed_frame("desk", p), axis) for axis in ((1, 0, 0), (0, 0, 1))]
        law = Environment("springs", lines, damping=np.eye(2) * np.sqrt(k), stiffness=k * np.eye(2))
        run = gw.simulate(mech, start, until=0.05, laws=[law], samples=3)
        errors.append(np.abs(run.q[-1] - rigid.q[-1]).max())
    assert errors[1] < 0.2 * errors[0]
    assert errors[1] < 1e-4


def test_heavy_environments_stop_everything():
    """Inertia to infinity: the point keeps its speed of arrival, shared with ever more mass."""
    mech = gw.approximate(point(), "none")
    line = gw.forces.displacement(mech, "y", axis=(1, 0, 0))
    found = []
    for m in (1e2, 1e4):
        law = Environment("block", [line], [[m]])
        run = gw.simulate(mech, inputs=[1.0, 2.0 * 9.81], until=1.0, laws=[law], samples=2)
        found.append(run.q[-1, 0] * (m + 2.0))
    assert found == pytest.approx([0.5, 0.5], rel=1e-8)


def test_deformation_on_both_sides():
    """A pad on the tool and a skin on a wall with mass: at rest both carry the same force, each gives by its own."""
    pad = gw.parts.Link(
        "pad",
        "ram",
        gw.parts.Joint(kind="prismatic", axis=(-1, 0, 0), spring=gw.parts.JointSpring(K1, 20.0)),
        mass=0.05,
    )
    robot = gw.parts.Robot("slider", [*slider(2.0).links, pad], gravity=(0, 0, 0))
    both = with_wall(robot, "wall", Plane((0.0, 0, 0), (-1, 0, 0)), 3.0, 5e4, 400.0)
    skin = SoftContact("pad", Plane((0, 0, 0), (-1, 0, 0)), K2, 60.0, relative_to="wall", name="skin")
    run = gw.simulate(
        both,
        inputs={"tau.ram": 30.0},
        laws=[skin],
        until=4.0,
        samples=3,
        controller=None,
        method="stiff",
        integrator=gw.analysis.IntegratorOptions(rtol=1e-9),
    )
    gives = [run["q.pad"][-1] * K1, run["skin.deformation"][-1] * K2, -run["q.wall"][-1] * 5e4]
    assert gives == pytest.approx([30.0] * 3, rel=5e-3)


def test_a_stiff_pad_approaches_deformation_on_one_side():
    """The pad's stiffness to infinity: ram and pad move as one against the same skin."""
    skin = Plane((0.02, 0, 0), (-1, 0, 0))
    alone = gw.simulate(
        slider(2.05), ([0.0], [0.3]), until=0.1, laws=[SoftContact("ram", skin, 2e3, 5.0, name="skin")], samples=3,
        method="adaptive",
    )  # fmt: skip
    errors = []
    for k in (1e5, 4e5):
        spring = gw.parts.JointSpring(k, 2 * np.sqrt(k * 0.05))
        pad = gw.parts.Link("pad", "ram", gw.parts.Joint(kind="prismatic", axis=(1, 0, 0), spring=spring), mass=0.05)
        robot = gw.parts.Robot("slider", [*slider(2.0).links, pad], gravity=(0, 0, 0))
        run = gw.simulate(
            robot, ([0.0, 0.0], [0.3, 0.0]), until=0.1, laws=[SoftContact("pad", skin, 2e3, 5.0, name="skin")],
            samples=3, method="adaptive",
        )  # fmt: skip
        errors.append(abs(run.v[-1, 0] - alone.v[-1, 0]))
    assert errors[1] < 0.4 * errors[0]


def test_the_books_of_three_phases_with_a_dynamic_environment():
    """A geared arm falls, strikes a wall with mass on a spring, swings with it, leaves it and comes back."""
    robot = gw.load("elbow")
    q = np.array([0.2, -0.3, 0.8])
    height = float(gw.placement(robot, q, "tool")[1][2])
    table = with_wall(robot, "table", Plane((0, 0, height - 0.03), (0, 0, 1)), 4.0, 3e3, 15.0)
    law = Contact("tool", Plane((0, 0, 0), (0, 0, 1)), relative_to="table", name="blow")
    run = gw.simulate(
        table, np.append(q, 0.0), until=0.5, laws=[*gw.laws(robot), law], samples=51, method="adaptive",
        integrator=gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12),
    )  # fmt: skip
    phases = [event.kind for event in run.events]
    assert "touch" in phases
    assert "free" in phases
    assert run["energy.dissipated"][-1] > 0.1
    assert run.drift < 1e-7


def test_bad_input():
    mech = point()
    line = gw.forces.displacement(mech, "y", axis=(1, 0, 0))
    with pytest.raises(InputError, match=r"e: inertia=\[\[-1.0\]\].*eigenvalue -1"):
        Environment("e", [line], [[-1.0]])
    with pytest.raises(InputError, match=r"e: damping=\[\[-1.0\]\].*eigenvalue -1"):
        Environment("e", [line], damping=[[-1.0]])
    with pytest.raises(InputError, match=r"e: stiffness=\[\[-1.0\]\].*eigenvalue -1"):
        Environment("e", [line], stiffness=[[-1.0]])
    with pytest.raises(InputError, match=r"stiffness .*\(2, 2\).*\b1\b"):
        Environment("e", [line], stiffness=np.eye(2))
    with pytest.raises(InputError, match=r"e: .*energy="):
        Environment("e", [line], stiffness=lambda s, ops: [[1.0]])
    with pytest.raises(InputError, match=r"e: .*one_sided=False"):
        Environment("e", [line], [[1.0]], one_sided=True)
    with pytest.raises(InputError, match=r"e: coordinates="):
        Environment("e", [])
