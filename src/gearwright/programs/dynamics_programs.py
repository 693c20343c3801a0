"""The programs: every public function of the dynamics as (inputs, recursion, shape)."""

from __future__ import annotations

from typing import Any

from gearwright.algebra import Operations, Scalar, Vec
from gearwright.dynamics.configuration import difference, integrate
from gearwright.dynamics.coriolis import coriolis_matrix
from gearwright.dynamics.energy import centre_of_mass, kinetic_energy, momentum, potential_energy
from gearwright.dynamics.forward_dynamics import bias, forward_dynamics
from gearwright.dynamics.inverse_dynamics import BodyWrench, gravity, inverse_dynamics, reactions
from gearwright.dynamics.kinematics import BASE_AT_REST, BaseMotion, axial_drifts
from gearwright.dynamics.mass_matrix import axial_rates, mass_matrix
from gearwright.dynamics.other_formulations.lagrange import lagrange_form
from gearwright.dynamics.other_formulations.vukobratovic import recursive_form
from gearwright.dynamics.pose import Pose, place_machine
from gearwright.dynamics.regressor import parameter_names, regressor
from gearwright.mechanism import Mechanism
from gearwright.programs import kinematic_programs
from gearwright.programs.program import BASE_MOTION, WRENCH, Fixed, Inputs, Program


def _speed_shape(mech: Mechanism, _: Fixed) -> tuple[int, ...]:
    return (mech.n,)


def _square_shape(mech: Mechanism, _: Fixed) -> tuple[int, ...]:
    return (mech.n, mech.n)


def _scalar_shape(_mech: Mechanism, _: Fixed) -> tuple[int, ...]:
    return ()


def _external_loads(pose: Pose, x: Inputs) -> tuple[dict[int, BodyWrench], BaseMotion]:
    """External wrenches, referred to the origins of their bodies, and base motion from the inputs."""
    wrenches: dict[int, BodyWrench] = {}
    for name, values in x.items():
        if not name.startswith(WRENCH):
            continue
        force, moment = Vec(*values[:3]), Vec(*values[3:])
        index, _, position = pose.mech.place_of(name.removeprefix(WRENCH))
        if position is not None:
            moment = moment + (pose.world_placements[index][0] @ position).cross(force)
        earlier = wrenches.get(index)
        wrenches[index] = (
            BodyWrench(force, moment) if earlier is None else BodyWrench(earlier.force + force, earlier.moment + moment)
        )
    if BASE_MOTION not in x:
        return wrenches, BASE_AT_REST
    b = x[BASE_MOTION]
    return wrenches, BaseMotion(Vec(*b[:3]), Vec(*b[3:6]), Vec(*b[6:]))


def _inverse_dynamics(mech: Mechanism, ops: Operations, x: Inputs, _: Fixed) -> Any:
    pose = place_machine(mech, x["q"], ops)
    return inverse_dynamics(pose, x["v"], x["a"], *_external_loads(pose, x))


def _forward_dynamics(mech: Mechanism, ops: Operations, x: Inputs, _: Fixed) -> Any:
    pose = place_machine(mech, x["q"], ops)
    return forward_dynamics(pose, x["v"], x["tau"], *_external_loads(pose, x))


def _bias_forces(mech: Mechanism, ops: Operations, x: Inputs, _: Fixed) -> Any:
    pose = place_machine(mech, x["q"], ops)
    return bias(pose, x["v"], *_external_loads(pose, x))


def _joint_reactions(mech: Mechanism, ops: Operations, x: Inputs, _: Fixed) -> Any:
    pose = place_machine(mech, x["q"], ops)
    return reactions(pose, x["v"], x["a"], *_external_loads(pose, x))


def _body_placement(mech: Mechanism, ops: Operations, x: Inputs, fixed: Fixed) -> list[Scalar]:
    index, rotation, position = mech.place_of(fixed["body"])
    R, p = place_machine(mech, x["q"], ops).world_placements[index]
    if rotation is not None and position is not None:
        R, p = R.after(rotation), p + R @ position
    return [*R.a, *R.b, *R.c, *p]


def _axial_rates(pose: Pose) -> list[list[Scalar]]:
    rates = [axial_rates(pose, spin) for spin in pose.mech.spins]
    return [[h.get(speed, 0.0) for speed in range(pose.mech.n)] for h in rates]


INVERSE_DYNAMICS = Program(
    "inverse_dynamics",
    ("q", "v", "a"),
    _inverse_dynamics,
    _speed_shape,
    takes_external_loads=True,
)
FORWARD_DYNAMICS = Program(
    "forward_dynamics",
    ("q", "v", "tau"),
    _forward_dynamics,
    _speed_shape,
    takes_external_loads=True,
    growth=2,
    linear=lambda m: m.solved_by_links,
)
BIAS = Program(
    "bias",
    ("q", "v"),
    _bias_forces,
    _speed_shape,
    takes_external_loads=True,
)
REACTIONS = Program(
    "reactions",
    ("q", "v", "a"),
    _joint_reactions,
    lambda m, _: (len(m.bodies), 6),
    takes_external_loads=True,
)
MASS_MATRIX = Program(
    "mass_matrix", ("q",), lambda m, ops, x, _: mass_matrix(place_machine(m, x["q"], ops)), _square_shape, growth=2
)
AXIAL_RATES = Program(
    "axial_rates",
    ("q",),
    lambda m, ops, x, _: _axial_rates(place_machine(m, x["q"], ops)),
    lambda m, _: (len(m.spins), m.n),
    growth=2,
)
AXIAL_DRIFTS = Program(
    "axial_drifts",
    ("q", "v"),
    lambda m, ops, x, _: axial_drifts(place_machine(m, x["q"], ops), x["v"]),
    lambda m, _: (len(m.spins),),
)
GRAVITY_FORCES = Program("gravity", ("q",), lambda m, ops, x, _: gravity(place_machine(m, x["q"], ops)), _speed_shape)
CORIOLIS_MATRIX = Program(
    "coriolis_matrix",
    ("q", "v"),
    lambda m, ops, x, _: coriolis_matrix(place_machine(m, x["q"], ops), x["v"]),
    _square_shape,
    growth=3,
)
KINETIC_ENERGY = Program(
    "kinetic_energy",
    ("q", "v"),
    lambda m, ops, x, _: kinetic_energy(place_machine(m, x["q"], ops), x["v"]),
    _scalar_shape,
)
POTENTIAL_ENERGY = Program(
    "potential_energy", ("q",), lambda m, ops, x, _: potential_energy(place_machine(m, x["q"], ops)), _scalar_shape
)
MOMENTUM = Program(
    "momentum", ("q", "v"), lambda m, ops, x, _: momentum(place_machine(m, x["q"], ops), x["v"]), lambda *_: (6,)
)
CENTRE_OF_MASS = Program(
    "centre_of_mass", ("q",), lambda m, ops, x, _: centre_of_mass(place_machine(m, x["q"], ops)), lambda *_: (3,)
)
PLACEMENT = Program(
    "placement",
    ("q",),
    _body_placement,
    lambda *_: (12,),
    options=("body",),
    parts=lambda _: {"rotation": (3, 3), "position": (3,)},
)
REGRESSOR = Program(
    "regressor",
    ("q", "v", "a"),
    lambda m, ops, x, _: regressor(place_machine(m, x["q"], ops), x["v"], x["a"]),
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
    _speed_shape,
    per_coordinate=("q0", "q1"),
)
LAGRANGE_FORM = Program(
    "lagrange_form",
    ("q", "v"),
    lambda m, ops, x, _: lagrange_form(place_machine(m, x["q"], ops), x["v"]),
    lambda m, _: (m.n * (2 * m.n + 1),),
    growth=3,
    parts=lambda m: {"B": (m.n, m.n), "H": (m.n, m.n), "g": (m.n,)},
)
RECURSIVE_FORM = Program(
    "recursive_form",
    ("q", "v"),
    lambda m, ops, x, _: recursive_form(place_machine(m, x["q"], ops), x["v"]),
    lambda m, _: (m.n * (m.n + 1),),
    growth=3,
    parts=lambda m: {"H": (m.n, m.n), "h": (m.n,)},
)

DYNAMICS_PROGRAMS = (
    INVERSE_DYNAMICS,
    FORWARD_DYNAMICS,
    BIAS,
    REACTIONS,
    MASS_MATRIX,
    AXIAL_RATES,
    AXIAL_DRIFTS,
    GRAVITY_FORCES,
    CORIOLIS_MATRIX,
    KINETIC_ENERGY,
    POTENTIAL_ENERGY,
    MOMENTUM,
    CENTRE_OF_MASS,
    PLACEMENT,
    REGRESSOR,
    INTEGRATE,
    DIFFERENCE,
    LAGRANGE_FORM,
    RECURSIVE_FORM,
    *kinematic_programs.KINEMATIC_PROGRAMS,
)

PROGRAM_BY_NAME = {program.name: program for program in DYNAMICS_PROGRAMS}
"""Every program under the name of its public function."""
