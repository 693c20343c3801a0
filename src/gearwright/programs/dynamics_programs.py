"""The programs: every public function of the dynamics as (inputs, recursion, shape)."""

from __future__ import annotations

from typing import Any

from gearwright.algebra import Operations, Scalar, Vec
from gearwright.dynamics.closed_loops.closed_dynamics import (
    bias,
    coriolis_in_independent_speeds,
    forward_dynamics,
    placed_machine,
)
from gearwright.dynamics.closed_loops.closing import CHECKED_NEWTON_STEPS, step_to_closed
from gearwright.dynamics.closed_loops.loop_equations import sum_of
from gearwright.dynamics.configuration import difference, integrate
from gearwright.dynamics.coriolis import coriolis_matrix
from gearwright.dynamics.energy import centre_of_mass, kinetic_energy, momentum, potential_energy
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
    pose, speed_map = placed_machine(mech, x["q"], ops)
    v = speed_map.speeds(x["v"])
    tau = inverse_dynamics(pose, v, speed_map.accelerations(v, x["a"]), *_external_loads(pose, x))
    return speed_map.forces(tau)


def _forward_dynamics(mech: Mechanism, ops: Operations, x: Inputs, _: Fixed) -> Any:
    pose, speed_map = placed_machine(mech, x["q"], ops)
    return forward_dynamics(pose, speed_map, x["v"], x["tau"], *_external_loads(pose, x))


def _bias_forces(mech: Mechanism, ops: Operations, x: Inputs, _: Fixed) -> Any:
    pose, speed_map = placed_machine(mech, x["q"], ops)
    return bias(pose, speed_map, speed_map.speeds(x["v"]), *_external_loads(pose, x))


def _mass_matrix(mech: Mechanism, ops: Operations, x: Inputs, _: Fixed) -> Any:
    pose, speed_map = placed_machine(mech, x["q"], ops)
    return speed_map.congruent(mass_matrix(pose))


def _gravity_forces(mech: Mechanism, ops: Operations, x: Inputs, _: Fixed) -> Any:
    pose, speed_map = placed_machine(mech, x["q"], ops)
    return speed_map.forces(gravity(pose))


def _coriolis_matrix(mech: Mechanism, ops: Operations, x: Inputs, _: Fixed) -> Any:
    pose, speed_map = placed_machine(mech, x["q"], ops)
    v = speed_map.speeds(x["v"])
    return coriolis_in_independent_speeds(pose, speed_map, v, coriolis_matrix(pose, v), ops)


def _kinetic_energy(mech: Mechanism, ops: Operations, x: Inputs, _: Fixed) -> Any:
    pose, speed_map = placed_machine(mech, x["q"], ops)
    return kinetic_energy(pose, speed_map.speeds(x["v"]))


def _momentum(mech: Mechanism, ops: Operations, x: Inputs, _: Fixed) -> Any:
    pose, speed_map = placed_machine(mech, x["q"], ops)
    return momentum(pose, speed_map.speeds(x["v"]))


def _regressor(mech: Mechanism, ops: Operations, x: Inputs, _: Fixed) -> Any:
    pose, speed_map = placed_machine(mech, x["q"], ops)
    v = speed_map.speeds(x["v"])
    return speed_map.rows(regressor(pose, v, speed_map.accelerations(v, x["a"])))


def _integrate(mech: Mechanism, ops: Operations, x: Inputs, _: Fixed) -> Any:
    if mech.closure is None:
        return integrate(mech, x["q"], x["v"], ops)
    return step_to_closed(mech.tree, mech.closure, x["q"], x["v"], ops).finite_if_closed(ops)


def _closed_step(mech: Mechanism, ops: Operations, x: Inputs, fixed: Fixed) -> Any:
    if mech.closure is None:
        return [*integrate(mech, x["q"], x["v"], ops), 0.0, 0.0, 1.0]  # no loops, no gaps, one branch
    exchange = fixed.get("exchange", False)
    return step_to_closed(mech.tree, mech.closure, x["q"], x["v"], ops, exchange, CHECKED_NEWTON_STEPS)


def _difference(mech: Mechanism, ops: Operations, x: Inputs, _: Fixed) -> Any:
    along = difference(mech.tree, x["q0"], x["q1"], ops)
    return along if mech.closure is None else [along[k] for k in mech.closure.independent]


def _joint_reactions(mech: Mechanism, ops: Operations, x: Inputs, _: Fixed) -> Any:
    pose, speed_map = placed_machine(mech, x["q"], ops)
    v = speed_map.speeds(x["v"])
    return reactions(pose, v, speed_map.accelerations(v, x["a"]), *_external_loads(pose, x))


def _body_placement(mech: Mechanism, ops: Operations, x: Inputs, fixed: Fixed) -> list[Scalar]:
    index, rotation, position = mech.place_of(fixed["body"])
    R, p = place_machine(mech.tree, x["q"], ops).world_placements[index]
    if rotation is not None and position is not None:
        R, p = R.after(rotation), p + R @ position
    return [*R.a, *R.b, *R.c, *p]


def _tree_axial_rates(pose: Pose) -> list[list[Scalar]]:
    rates = [axial_rates(pose, spin) for spin in pose.mech.spins]
    return [[h.get(speed, 0.0) for speed in range(pose.mech.n)] for h in rates]


def _axial_rates(mech: Mechanism, ops: Operations, x: Inputs, _: Fixed) -> Any:
    pose, speed_map = placed_machine(mech, x["q"], ops)
    return speed_map.columns(_tree_axial_rates(pose))


def _axial_drifts(mech: Mechanism, ops: Operations, x: Inputs, _: Fixed) -> Any:
    pose, speed_map = placed_machine(mech, x["q"], ops)
    v = speed_map.speeds(x["v"])
    drifts = axial_drifts(pose, v)
    if mech.closure is None:
        return drifts
    g = speed_map.accelerations(v, [0.0] * mech.n)
    return [
        x + sum_of(x * y for x, y in zip(h, g, strict=True))
        for x, h in zip(drifts, _tree_axial_rates(pose), strict=True)
    ]


def _lagrange_form(mech: Mechanism, ops: Operations, x: Inputs, _: Fixed) -> Any:
    pose, speed_map = placed_machine(mech, x["q"], ops)
    v = speed_map.speeds(x["v"])
    B, H, g = lagrange_form(pose, v)
    H_independent = coriolis_in_independent_speeds(pose, speed_map, v, H, ops)
    return speed_map.congruent(B), H_independent, speed_map.forces(g)


def _recursive_form(mech: Mechanism, ops: Operations, x: Inputs, _: Fixed) -> Any:
    pose, speed_map = placed_machine(mech, x["q"], ops)
    v = speed_map.speeds(x["v"])
    H, h = recursive_form(pose, v)
    if mech.closure is not None:
        drift = speed_map.accelerations(v, [0.0] * mech.n)
        h = [x + sum_of(x * y for x, y in zip(row, drift, strict=True)) for x, row in zip(h, H, strict=True)]
    return speed_map.congruent(H), speed_map.forces(h)


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
    linear=lambda m: m.closure is None and m.solved_by_links,
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
MASS_MATRIX = Program("mass_matrix", ("q",), _mass_matrix, _square_shape, growth=2)
AXIAL_RATES = Program(
    "axial_rates",
    ("q",),
    _axial_rates,
    lambda m, _: (len(m.spins), m.n),
    growth=2,
)
AXIAL_DRIFTS = Program(
    "axial_drifts",
    ("q", "v"),
    _axial_drifts,
    lambda m, _: (len(m.spins),),
)
GRAVITY_FORCES = Program("gravity", ("q",), _gravity_forces, _speed_shape)
CORIOLIS_MATRIX = Program(
    "coriolis_matrix",
    ("q", "v"),
    _coriolis_matrix,
    _square_shape,
    growth=3,
)
KINETIC_ENERGY = Program(
    "kinetic_energy",
    ("q", "v"),
    _kinetic_energy,
    _scalar_shape,
)
POTENTIAL_ENERGY = Program(
    "potential_energy", ("q",), lambda m, ops, x, _: potential_energy(place_machine(m.tree, x["q"], ops)), _scalar_shape
)
MOMENTUM = Program("momentum", ("q", "v"), _momentum, lambda *_: (6,))
CENTRE_OF_MASS = Program(
    "centre_of_mass", ("q",), lambda m, ops, x, _: centre_of_mass(place_machine(m.tree, x["q"], ops)), lambda *_: (3,)
)
PLACEMENT = Program(
    "placement",
    ("q",),
    _body_placement,
    lambda *_: (12,),
    options=("body",),
    parts=lambda _: {"rotation": (3, 3), "position": (3,)},
    needs_closed_loops=False,
)
REGRESSOR = Program(
    "regressor",
    ("q", "v", "a"),
    _regressor,
    lambda m, _: (m.n, len(parameter_names(m))),
    growth=2,
)
INTEGRATE = Program("integrate", ("q", "v"), _integrate, lambda m, _: (m.nq,))
CLOSED_STEP = Program(
    "closed_step",
    ("q", "v"),
    _closed_step,
    lambda m, _: (m.nq + 3,),
    options=("exchange",),
    passes=4,
    needs_closed_loops=False,
)
DIFFERENCE = Program(
    "difference",
    ("q0", "q1"),
    _difference,
    _speed_shape,
    per_coordinate=("q0", "q1"),
)
LAGRANGE_FORM = Program(
    "lagrange_form",
    ("q", "v"),
    _lagrange_form,
    lambda m, _: (m.n * (2 * m.n + 1),),
    growth=3,
    parts=lambda m: {"B": (m.n, m.n), "H": (m.n, m.n), "g": (m.n,)},
)
RECURSIVE_FORM = Program(
    "recursive_form",
    ("q", "v"),
    _recursive_form,
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
    CLOSED_STEP,
    DIFFERENCE,
    LAGRANGE_FORM,
    RECURSIVE_FORM,
    *kinematic_programs.KINEMATIC_PROGRAMS,
)

PROGRAM_BY_NAME = {program.name: program for program in DYNAMICS_PROGRAMS}
"""Every program under the name of its public function."""
