"""Derivatives of kernels against the complex step and against differences of high order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.parts import Drive, Gear, Joint, Link, Motor, Payload, Robot
from gearwright.programs import dynamics_programs
from gearwright.programs.program import flatten_scalars
from support.compare import STEPS, rate, relative, tangent_slope
from support.machines import random_design

STEP = 1e-200


class ComplexOperations:
    """Complex numbers as scalars: the imaginary part carries an exact derivative."""

    cos, sin, sqrt = staticmethod(np.cos), staticmethod(np.sin), staticmethod(np.sqrt)


def complex_step(
    program: dynamics_programs.Program, mech: gw.Mechanism, x: dict[str, np.ndarray], name: str
) -> np.ndarray:
    columns = []
    for k in range(x[name].size):
        scalars = {key: list(value.astype(complex)) for key, value in x.items()}
        scalars[name][k] += 1j * STEP
        columns.append(np.imag(flatten_scalars(program.run(mech, ComplexOperations(), scalars, {}))) / STEP)
    return np.array(columns).T


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "bias", "gravity", "mass_matrix"])
def test_against_the_complex_step(arm, name):
    program = dynamics_programs.PROGRAM_BY_NAME[name]
    rng = np.random.default_rng(4)
    x = {key: rng.uniform(-1, 1, arm.n) for key in program.inputs}
    kernel = gw.compile(name, arm)
    everything = kernel.jacobian()
    whole = everything(*x.values())
    for key, columns in everything.columns.items():
        exact = complex_step(program, arm, x, key).reshape(whole[..., columns].shape)
        assert relative(whole[..., columns], exact, scale=1e-3 * float(np.abs(whole).max())) < 1e-11
        assert relative(kernel.jacobian(key)(*x.values()), exact, scale=1e-3 * float(np.abs(whole).max())) < 1e-11


@pytest.mark.parametrize(
    "kinds", [("free", "revolute"), ("spherical", "prismatic", "revolute"), ("planar", "helical", "universal")]
)
@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics"])
def test_coordinates_are_differentiated_in_the_tangent(kinds, name):
    mech = random_design(np.random.default_rng(6), kinds, wheels=2).written()
    rng = np.random.default_rng(1)
    q, v, a = rng.uniform(-1, 1, mech.nq), *rng.uniform(-1, 1, (2, mech.n))
    function = getattr(gw, name)
    expected = tangent_slope(lambda moved: function(mech, moved, v, a), mech, q)
    slope = gw.compile(function, mech).jacobian("q")
    assert slope(q, v, a).shape == (mech.n, mech.n)
    assert relative(slope(q, v, a), expected) < 1e-8
    batch = slope(np.tile(q, (9, 1)), np.tile(v, (9, 1)), np.tile(a, (9, 1)))
    assert relative(batch[8], expected) < 1e-8


def test_derivatives_are_those_of_mechanics(arm):
    """d tau/da = M, and d a/d tau its inverse."""
    rng = np.random.default_rng(2)
    q, v, a = rng.uniform(-1, 1, (3, 5, arm.n))
    M = gw.mass_matrix(arm, q)
    assert relative(gw.compile(gw.inverse_dynamics, arm).jacobian("a")(q, v, a), M) < 1e-12
    inverse = gw.compile(gw.forward_dynamics, arm).jacobian("tau")(q, v, a)
    assert relative(inverse @ M, np.broadcast_to(np.eye(arm.n), M.shape)) < 1e-10


PATHS = ["payload.mass", "elbow.motor.inertia", "elbow.gear.ratio", "upper.com.x", "gravity.z"]


@pytest.fixture(scope="module")
def robot() -> Robot:
    upper = Link("upper", "base", Joint("shoulder"), 5.0, (0.2, 0.01, 0.02), np.diag([0.02, 0.09, 0.1]))
    place = {"axis": (0, 1, 0), "position": (0.4, 0, 0.1)}
    fore = Link("fore", "upper", Joint("elbow", **place), 3.0, (0.15, 0, 0), np.diag([0.006, 0.03, 0.032]))
    drives = [
        Drive("shoulder", Motor(3e-5, 0.24, position=(0, 0, -0.1)), Gear(80), axis=(0, 0.6, 0.8)),
        Drive("elbow", Motor(2e-5, 0.3, position=(0.1, 0, 0)), Gear(100), axis=(1, 0, 0)),
    ]
    return Robot("two", [upper, fore], drives, Payload(2.0, (0.3, 0, 0)))


def changed(robot: Robot, p: np.ndarray) -> gw.Mechanism:
    """The machine with the parameters set by hand, not through paths."""
    mass, inertia, ratio, com, gravity = p
    first, second = robot.drives
    second = replace(second, motor=replace(second.motor, inertia=inertia), gear=replace(second.gear, ratio=ratio))
    links = [replace(robot.links[0], com=(com, *robot.links[0].com[1:])), robot.links[1]]
    payload = replace(robot.payload, mass=mass)
    return gw.assemble(replace(robot, links=links, drives=[first, second], payload=payload, gravity=(0, 0, gravity)))


def test_parameters_are_inputs_and_what_is_lumped_follows(robot):
    kernel = gw.compile(gw.inverse_dynamics, robot, parameters=PATHS)
    assert kernel.parameters == tuple(PATHS)
    rng = np.random.default_rng(3)
    q, v, a = rng.uniform(-1, 1, (3, 2))
    sets = kernel.nominal_parameters * rng.uniform(0.5, 1.5, (11, len(PATHS)))
    found = kernel(q, v, a, parameters=sets)
    for row, p in zip(found, sets, strict=True):
        assert relative(row, gw.inverse_dynamics(changed(robot, p), q, v, a)) < 1e-12
    assert (
        relative(
            kernel(q, v, a, parameters=kernel.nominal_parameters), gw.inverse_dynamics(gw.assemble(robot), q, v, a)
        )
        < 1e-12
    )


def test_every_way_to_give_parameters(robot):
    kernel = gw.compile(gw.inverse_dynamics, robot, parameters=PATHS)
    assert kernel.inputs == {"q": 2, "v": 2, "a": 2, "parameters": len(PATHS)}
    rng = np.random.default_rng(9)
    x, p = rng.uniform(-1, 1, (3, 4, 2)), kernel.nominal_parameters * rng.uniform(0.5, 1.5, (4, len(PATHS)))
    expected, out = np.array([kernel(*(y[k] for y in x), parameters=p[k]) for k in range(4)]), np.empty((4, 2))
    for found in (kernel(*x, p), kernel(*x, parameters=p), kernel(*x, p.tolist()), kernel(*x, parameters=p.tolist())):
        assert relative(found, expected) < 1e-13
    for call in (
        lambda: kernel(*x, p, out),
        lambda: kernel(*x, p, out=out),
        lambda: kernel(*x, parameters=p, out=out),
        lambda: kernel(*x, out=out, parameters=p),
        lambda: kernel(*x, out, parameters=p),
        lambda: kernel(*x, p.tolist(), out),
    ):
        out[:] = 0
        assert call() is out
        assert relative(out, expected) < 1e-13


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "kinetic_energy", "mass_matrix"])
def test_gradients_with_respect_to_parameters(robot, name):
    kernel = gw.compile(name, robot, parameters=PATHS)
    rng = np.random.default_rng(5)
    x = rng.uniform(-1, 1, (len(dynamics_programs.PROGRAM_BY_NAME[name].inputs), 2))
    p = kernel.nominal_parameters
    slope = kernel.jacobian("parameters")(*x, parameters=p)
    for k in range(len(PATHS)):
        steps = p + (STEPS[:, None] * p[k]) * np.eye(len(p))[k]
        values = kernel(*x, parameters=steps)
        scale = float(np.abs(values).max() / abs(p[k]))
        assert relative(slope[..., k], rate(values) / p[k], scale) < 1e-9


def test_parameters_of_a_flat_machine(arm):
    paths = ["b1.mass", "b2.inertia.xy", "s0.inertia", "k0.stiffness", "gravity.x"]
    kernel = gw.compile(gw.inverse_dynamics, arm, parameters=paths)
    rng = np.random.default_rng(7)
    q, v, a = rng.uniform(-1, 1, (3, arm.n))
    assert relative(kernel(q, v, a, parameters=kernel.nominal_parameters), gw.inverse_dynamics(arm, q, v, a)) < 1e-12
    heavier = kernel.nominal_parameters * np.array([1.7, 1, 1, 1, 1])
    bodies = [replace(body, mass=body.mass * 1.7) if body.name == "b1" else body for body in arm.bodies]
    expected = gw.inverse_dynamics(replace(arm, bodies=bodies), q, v, a)
    assert relative(kernel(q, v, a, parameters=heavier), expected) < 1e-12


@pytest.mark.parametrize("path", ["elbow.axis.x", "fore.joint.axis.x", "fore.joint.rotation.xy"])
def test_directions_are_no_inputs(robot, path):
    """An axis given in numbers is made a unit vector; a symbol in it would not be."""
    with pytest.raises(gw.errors.InputError, match=repr(path)):
        gw.compile(gw.gravity, robot, parameters=[path])


def test_parameters_must_come_as_compiled(robot):
    kernel = gw.compile(gw.gravity, robot, parameters="payload.mass")
    with pytest.raises(gw.errors.InputError, match=r"parameters.*payload\.mass"):
        kernel(np.zeros(2))
    with pytest.raises(gw.errors.InputError, match=r"parameters .*\(2,\).*payload\.mass"):
        kernel(np.zeros(2), parameters=[1.0, 2.0])
    with pytest.raises(gw.errors.InputError, match=r"'payload\.mass'\) .*\bnan\b"):
        kernel(np.zeros(2), parameters=[np.nan])
