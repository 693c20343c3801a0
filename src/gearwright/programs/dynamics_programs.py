"""The programs: every public function of the dynamics as (inputs, recursion, shape)."""

from __future__ import annotations

from typing import Any

from gearwright.algebra import Operations, Scalar, Vec
from gearwright.dynamics.configuration import difference, integrate
from gearwright.dynamics.coriolis import coriolis_matrix
from gearwright.dynamics.energy import centre_of_mass, kinetic_energy, momentum, potential_energy
from gearwright.dynamics.forward_dynamics import bias, forward_dynamics
from gearwright.dynamics.inverse_dynamics import Wrench, gravity, inverse_dynamics, reactions
from gearwright.dynamics.kinematics import AT_REST, BaseMotion, axial_drifts
from gearwright.dynamics.mass_matrix import axial_rates, mass_matrix
from gearwright.dynamics.other_formulations.lagrange import lagrange_form
from gearwright.dynamics.other_formulations.vukobratovic import recursive_form
from gearwright.dynamics.pose import Pose, place
from gearwright.dynamics.regressor import parameter_names, regressor
from gearwright.dynamics.task_space.jacobian import jacobian, jacobian_rate
from gearwright.mechanism import Mechanism
from gearwright.programs import kinematic_programs
from gearwright.programs.program import BASE_MOTION, WRENCH, Fixed, Inputs, Program


def _per_speed(mech: Mechanism, _: Fixed) -> tuple[int, ...]:
    return (mech.n,)


def _square(mech: Mechanism, _: Fixed) -> tuple[int, ...]:
    return (mech.n, mech.n)


def _one(_mech: Mechanism, _: Fixed) -> tuple[int, ...]:
    return ()


def _six_by_speeds(mech: Mechanism, _: Fixed) -> tuple[int, ...]:
    return (6, mech.n)


def _outside(pose: Pose, x: Inputs) -> tuple[dict[int, Wrench], BaseMotion]:
    """External wrenches, those at frames moved to their body's origin, and base motion among the inputs."""
    wrenches: dict[int, Wrench] = {}
    for name, values in x.items():
        if not name.startswith(WRENCH):
            continue
        force, moment = Vec(*values[:3]), Vec(*values[3:])
        index, _, position = pose.mech.place_of(name.removeprefix(WRENCH))
        if position is not None:
            moment = moment + (pose.world[index][0] @ position).cross(force)
        known = wrenches.get(index)
        wrenches[index] = Wrench(force, moment) if known is None else Wrench(known.force + force, known.moment + moment)
    if BASE_MOTION not in x:
        return wrenches, AT_REST
    b = x[BASE_MOTION]
    return wrenches, BaseMotion(Vec(*b[:3]), Vec(*b[3:6]), Vec(*b[6:]))


def _inverse_dynamics(mech: Mechanism, ops: Operations, x: Inputs, _: Fixed) -> Any:
    pose = place(mech, x["q"], ops)
    return inverse_dynamics(pose, x["v"], x["a"], *_outside(pose, x))


def _forward_dynamics(mech: Mechanism, ops: Operations, x: Inputs, _: Fixed) -> Any:
    pose = place(mech, x["q"], ops)
    return forward_dynamics(pose, x["v"], x["tau"], *_outside(pose, x))


def _bias(mech: Mechanism, ops: Operations, x: Inputs, _: Fixed) -> Any:
    pose = place(mech, x["q"], ops)
    return bias(pose, x["v"], *_outside(pose, x))


def _reactions(mech: Mechanism, ops: Operations, x: Inputs, _: Fixed) -> Any:
    pose = place(mech, x["q"], ops)
    return reactions(pose, x["v"], x["a"], *_outside(pose, x))


def _placement(mech: Mechanism, ops: Operations, x: Inputs, fixed: Fixed) -> list[Scalar]:
    index, rotation, position = mech.place_of(fixed["body"])
    R, p = place(mech, x["q"], ops).world[index]
    if rotation is not None and position is not None:
        R, p = R.after(rotation), p + R @ position
    return [*R.a, *R.b, *R.c, *p]


def _spot(mech: Mechanism, fixed: Fixed) -> tuple[int, Vec]:
    """Body and point on it of a Jacobian; a frame's point counts in the frame's axes."""
    index, rotation, position = mech.place_of(fixed["body"])
    point = Vec.of(fixed.get("point", (0.0, 0.0, 0.0)))
    if rotation is not None and position is not None:
        point = position + rotation @ point
    return index, point


def _axial_rates(pose: Pose) -> list[list[Scalar]]:
    rates = [axial_rates(pose, spin) for spin in pose.mech.spins]
    return [[h.get(speed, 0.0) for speed in range(pose.mech.n)] for h in rates]


INVERSE_DYNAMICS = Program(
    "inverse_dynamics",
    ("q", "v", "a"),
    _inverse_dynamics,
    _per_speed,
    outside=True,
)
FORWARD_DYNAMICS = Program(
    "forward_dynamics",
    ("q", "v", "tau"),
    _forward_dynamics,
    _per_speed,
    outside=True,
    growth=2,
    linear=lambda m: m.solved_by_links,
)
BIAS = Program(
    "bias",
    ("q", "v"),
    _bias,
    _per_speed,
    outside=True,
)
REACTIONS = Program(
    "reactions",
    ("q", "v", "a"),
    _reactions,
    lambda m, _: (len(m.bodies), 6),
    outside=True,
)
MASS_MATRIX = Program("mass_matrix", ("q",), lambda m, ops, x, _: mass_matrix(place(m, x["q"], ops)), _square, growth=2)
AXIAL_RATES = Program(
    "axial_rates",
    ("q",),
    lambda m, ops, x, _: _axial_rates(place(m, x["q"], ops)),
    lambda m, _: (len(m.spins), m.n),
    growth=2,
)
AXIAL_DRIFTS = Program(
    "axial_drifts",
    ("q", "v"),
    lambda m, ops, x, _: axial_drifts(place(m, x["q"], ops), x["v"]),
    lambda m, _: (len(m.spins),),
)
GRAVITY = Program("gravity", ("q",), lambda m, ops, x, _: gravity(place(m, x["q"], ops)), _per_speed)
CORIOLIS_MATRIX = Program(
    "coriolis_matrix",
    ("q", "v"),
    lambda m, ops, x, _: coriolis_matrix(place(m, x["q"], ops), x["v"]),
    _square,
    growth=3,
)
KINETIC_ENERGY = Program(
    "kinetic_energy", ("q", "v"), lambda m, ops, x, _: kinetic_energy(place(m, x["q"], ops), x["v"]), _one
)
POTENTIAL_ENERGY = Program(
    "potential_energy", ("q",), lambda m, ops, x, _: potential_energy(place(m, x["q"], ops)), _one
)
MOMENTUM = Program(
    "momentum", ("q", "v"), lambda m, ops, x, _: momentum(place(m, x["q"], ops), x["v"]), lambda *_: (6,)
)
CENTRE_OF_MASS = Program(
    "centre_of_mass", ("q",), lambda m, ops, x, _: centre_of_mass(place(m, x["q"], ops)), lambda *_: (3,)
)
PLACEMENT = Program(
    "placement",
    ("q",),
    _placement,
    lambda *_: (12,),
    options=("body",),
    parts=lambda _: {"rotation": (3, 3), "position": (3,)},
)
JACOBIAN = Program(
    "jacobian",
    ("q",),
    lambda m, ops, x, fixed: jacobian(place(m, x["q"], ops), *_spot(m, fixed)),
    _six_by_speeds,
    options=("body", "point"),
)
JACOBIAN_RATE = Program(
    "jacobian_rate",
    ("q", "v"),
    lambda m, ops, x, fixed: jacobian_rate(place(m, x["q"], ops), x["v"], *_spot(m, fixed)),
    _six_by_speeds,
    options=("body", "point"),
    growth=2,
)
REGRESSOR = Program(
    "regressor",
    ("q", "v", "a"),
    lambda m, ops, x, _: regressor(place(m, x["q"], ops), x["v"], x["a"]),
    lambda m, _: (m.n, len(parameter_names(m))),
    growth=2,
)
INTEGRATE = Program(
    "integrate", ("q", "v"), lambda m, ops, x, _: integrate(m, x["q"], x["v"], ops), lambda m, _: (m.nq,)
)
DIFFERENCE = Program(
    "difference",
    ("q0", "q1"),
    lambda m, ops, x, _: difference(m, x["q0"], x["q1"], ops),
    _per_speed,
    per_coordinate=("q0", "q1"),
)
LAGRANGE_FORM = Program(
    "lagrange_form",
    ("q", "v"),
    lambda m, ops, x, _: lagrange_form(place(m, x["q"], ops), x["v"]),
    lambda m, _: (m.n * (2 * m.n + 1),),
    growth=3,
    parts=lambda m: {"B": (m.n, m.n), "H": (m.n, m.n), "g": (m.n,)},
)
RECURSIVE_FORM = Program(
    "recursive_form",
    ("q", "v"),
    lambda m, ops, x, _: recursive_form(place(m, x["q"], ops), x["v"]),
    lambda m, _: (m.n * (m.n + 1),),
    growth=3,
    parts=lambda m: {"H": (m.n, m.n), "h": (m.n,)},
)

PROGRAMS = (
    INVERSE_DYNAMICS,
    FORWARD_DYNAMICS,
    BIAS,
    REACTIONS,
    MASS_MATRIX,
    AXIAL_RATES,
    AXIAL_DRIFTS,
    GRAVITY,
    CORIOLIS_MATRIX,
    KINETIC_ENERGY,
    POTENTIAL_ENERGY,
    MOMENTUM,
    CENTRE_OF_MASS,
    PLACEMENT,
    JACOBIAN,
    JACOBIAN_RATE,
    REGRESSOR,
    INTEGRATE,
    DIFFERENCE,
    LAGRANGE_FORM,
    RECURSIVE_FORM,
    *kinematic_programs.ALL,
)

BY_NAME = {program.name: program for program in PROGRAMS}
"""Every program under the name of its public function."""
