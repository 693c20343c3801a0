"""CasADi functions: those of the library, with real shapes and plain names, on every bundled robot."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import gearwright as gw
from gearwright.catalogue import robots
from gearwright.errors import InputError
from support.bundled import CHEAP, PUBLIC, arguments, fixed_for, flat, public
from support.closed_machines import four_bar_robot
from support.compare import relative

FEW = ("elbow", "mini_cheetah", "elastic_elbow")
LARGE = "humanoid_30"
"""It takes long to trace: the cheap functions must do."""
CLOSED = ("lagrange_form", "recursive_form")
"""Formulations of machines without free and spherical joints."""


@pytest.fixture
def recursions(monkeypatch):
    """What is compared with are the recursions over NumPy: nothing is compiled for one call."""
    monkeypatch.setenv("GEARWRIGHT_KERNELS", "off")


def same(name, robot):
    mech = gw.assemble(gw.load(robot))
    given, fixed = arguments(name, mech), fixed_for(name, mech)
    found = gw.casadi_function(name, mech, **fixed)(*given)
    expected = public(name)(mech, *given, *fixed.values())
    parts = expected if isinstance(expected, tuple) else (expected,)
    for one, other in zip(found if isinstance(found, tuple) else (found,), parts, strict=True):
        rows = np.atleast_1d(other)
        rows = rows.reshape(len(rows), -1) if rows.ndim > 2 else rows  # CasADi has two axes
        assert one.shape == (rows if rows.ndim == 2 else rows[:, None]).shape
        assert relative(np.array(one).reshape(rows.shape), rows) < 1e-12, name


NOT_FOR_LOOPS = {"integrate", "reactions"}
"""Of closed loops: a fixed number of Newton steps closes short steps only; forces in cut joints are not traced."""


@pytest.mark.parametrize("robot", robots())
def test_cheap_functions_are_the_same_on_every_robot(robot, recursions):
    for name in CHEAP:
        if not gw.load(robot).loops or name not in NOT_FOR_LOOPS:
            same(name, robot)


@pytest.mark.parametrize(
    "robot", [pytest.param(name, marks=() if name in FEW else pytest.mark.slow) for name in robots() if name != LARGE]
)
def test_all_functions_are_the_same_on_every_robot(robot, recursions):
    for name in PUBLIC:
        if (robot != "mini_cheetah" or name not in CLOSED) and (not gw.load(robot).loops or name not in NOT_FOR_LOOPS):
            same(name, robot)


def test_derivatives_are_those_of_the_kernels():
    arm = gw.load("elbow")
    given = arguments("forward_dynamics", gw.assemble(arm))
    f = gw.casadi_function(gw.forward_dynamics, arm)
    kernel = gw.compile(gw.forward_dynamics, arm).jacobian()
    slopes = np.hstack([np.array(x) for x in f.jacobian()(*given, 0)])
    assert relative(slopes, kernel(*given)) < 1e-12


def test_a_free_base_is_differentiated_by_its_coordinates():
    """Along a turn the slope by the quaternion is that of the kernels in the tangent."""
    mech = gw.assemble(gw.load("mini_cheetah"))
    q, v = arguments("bias", mech)
    f = gw.casadi_function(gw.bias, mech)
    slope = np.array(f.jacobian()(q, v, 0)[0])
    from gearwright.functions.linearise import tangent_map

    assert relative(slope @ tangent_map(mech, q), gw.compile(gw.bias, mech).jacobian("q")(q, v)) < 1e-11


def test_arguments_have_plain_names_and_take_symbols():
    robot = gw.load("elbow")
    f = gw.casadi_function(gw.bias, robot, ["j1.motor.inertia"], wrenches=[0, "tool"], base_motion=True)
    assert f.name_in() == ["q", "v", "wrench_link1", "wrench_tool", "base_motion", "parameters"]
    q, v = ca.SX.sym("q", 3), ca.MX.sym("v", 3)
    assert gw.casadi_function(gw.mass_matrix, robot)(q).shape == (3, 3)
    assert isinstance(gw.casadi_function(gw.kinetic_energy, robot)(ca.MX(3, 1), v), ca.MX)
    assert gw.casadi_function(gw.placement, robot, body="tool").name_out() == ["rotation", "position"]


def test_parameters_stay_inputs():
    robot = gw.load("elbow").with_payload(2.0, (0.1, 0, 0))
    f = gw.casadi_function(gw.gravity, robot, ["payload.mass"])
    q = np.array([0.1, 0.4, -0.2])
    for mass in (2.0, 5.0):
        expected = gw.gravity(gw.load("elbow").with_payload(mass, (0.1, 0, 0)), q)
        assert relative(np.array(f(q, mass)).ravel(), expected) < 1e-12


def test_names_that_casadi_would_refuse_are_made_plain():
    odd = ["a.b", "a b", "9", "関節", "x__y", "null"]
    bodies = [gw.Body(name, k - 1, mass=1, com=(1, 0, 0), axis=(0, 1, 0)) for k, name in enumerate(odd)]
    f = gw.casadi_function("bias", gw.Mechanism(bodies), wrenches=odd)
    assert len(set(f.name_in())) == len(odd) + 2
    x = np.full(6, 0.1)
    assert np.isfinite(np.array(f(x, x, *np.zeros((6, 6))))).all()


def test_refuses_what_cannot_be_traced_in_its_own_name():
    robot = gw.load("elbow")
    for wrong, options, message in (
        ("inverse_dynamic", {}, "casadi_function: 'inverse_dynamic' .*'inverse_dynamics'"),
        (gw.jacobian, {}, "casadi_function: jacobian .*body="),
        (gw.bias, {"speed": 1}, "casadi_function: bias .*'speed'"),
        (gw.bias, {"parameters": ["j1.mass", "j1.mass"]}, r"casadi_function: .*j1\.mass, j1\.mass"),
    ):
        with pytest.raises(InputError, match=message):
            gw.casadi_function(wrong, robot, **options)
    assert flat(gw.casadi_function(gw.bias, robot)(np.zeros(3), np.zeros(3))).shape == (3,)


def test_a_step_that_leaves_loops_open_is_not_finite():
    """A fixed number of Newton steps closes short steps; a long one has no result, in CasADi and in machine code."""
    crank = gw.assemble(four_bar_robot(1.0, 2.5, 2.0, 2.2, 10.0))
    mech = gw.assemble(four_bar_robot(1.0, 2.5, 2.0, 2.2, 10.0), independent=["rocker"], start=crank.closed([1.0]))
    q, step = mech.reference, np.array([0.05])
    kernel, function = gw.compile(gw.integrate, mech), gw.casadi_function(gw.integrate, mech)
    for found in (kernel(q, step), np.array(function(q, step)).ravel()):
        assert found == pytest.approx(gw.integrate(mech, q, step), abs=1e-9)
    assert not np.isfinite(np.array(function(q, 40 * step))).any()
    assert np.isfinite(np.array(function.jacobian()(q, step, q)[1])).all()
