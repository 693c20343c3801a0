"""Errors in print of the five works, with their effect on a robot: printed and corrected form, evaluated side by side.

Each erratum computes the same quantity twice, by the printed and by the corrected equation, from exact results of the
machine: Jacobians, velocities and accelerations of bodies and wheels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import whole_number
from gearwright.arrays import Array
from gearwright.dynamics.configuration import neutral
from gearwright.errors import InputError
from gearwright.functions import (
    bias,
    gravity,
    integrate,
    inverse_dynamics,
    jacobian,
    jacobian_rate,
    kinetic_energy,
    mass_matrix,
    placement,
)
from gearwright.mechanism import BASE, Mechanism, RobotOrMech, joint_kind, tree_of
from gearwright.plots import BarPanel, bar_panel_figure, save_if_path
from gearwright.programs import approximate
from gearwright.text import did_you_mean

ELBOW_PARAMETERS = {
    "pi1": "I1yy + I2yy + I3yy + a2**2*m3 + kr1**2*Im1",
    "pi2": "m2x + a2*m3",
    "pi3": "I2xx - I2yy - a2**2*m3",
    "pi4": "I2zz + kr2**2*Im2 + a2**2*m3",
    "pi5": "I3xx - I3yy",
    "pi6": "m3x",
    "pi7": "I3zz",
    "pi8": "Im2",
    "pi9": "Im3",
}
"""Base parameters of the elbow arm as Sciavicco, Siciliano and Villani number them, for `gw.closed_form`."""

Both = tuple[Array, Array]
"""A quantity by the printed and by the corrected equation."""


@dataclass(frozen=True)
class ErrataStates:
    """A machine in random states: configurations, speeds of about 1 rad/s, accelerations of about 1 rad/s2."""

    mech: Mechanism
    q: Array
    v: Array
    a: Array

    @cached_property
    def tau(self) -> Array:
        """Generalized forces of the motion."""
        return inverse_dynamics(self.mech, self.q, self.v, self.a)

    def turning(self, body: int) -> tuple[Array, Array]:
        """Angular velocity and acceleration of a body, world axes."""
        J = jacobian(self.mech, self.q, body)[..., 3:, :]
        dJ = jacobian_rate(self.mech, self.q, self.v, body)[..., 3:, :]
        return _product(J, self.v), _product(J, self.a) + _product(dJ, self.v)

    def wheel_rows(self) -> list[tuple[Array, Array, float, Array]]:
        """Per wheel: row b, axial rates h of its carrier times Jc, inertia J, and Jc e . wd of its carrier."""
        rows = []
        for spin in self.mech.spins:
            R = placement(self.mech, self.q, _carrier(self.mech, int(spin.carrier))).rotation
            e = R @ np.array([*spin.axis], dtype=float)
            if spin.carrier == BASE:
                h, drive = np.zeros_like(self.v), np.zeros(self.v.shape[:-1])
            else:
                J = jacobian(self.mech, self.q, int(spin.carrier))[..., 3:, :]
                h = np.einsum("...i,...ij->...j", e, J)
                drive = np.einsum("...i,...i->...", e, self.turning(int(spin.carrier))[1])
            coupling = float(spin.coupling_inertia)
            rows.append((np.array(spin.ratio, dtype=float), coupling * h, float(spin.inertia), coupling * drive))
        return rows


def _carrier(mech: Mechanism, body: int) -> int | str:
    return "base" if body == BASE else body


def _product(matrix: Array, vector: Array) -> Array:
    return np.einsum("...ij,...j->...i", matrix, vector)


def _sliding_bodies(state: ErrataStates) -> list[int]:
    return [i for i, body in enumerate(state.mech.bodies) if joint_kind(body.joint).is_prismatic]


def _kinetic_energy_without_half(state: ErrataStates) -> Both:
    right = kinetic_energy(state.mech, state.q, state.v)
    more = np.zeros_like(right)
    for i, body in enumerate(state.mech.bodies):
        w = _product(jacobian(state.mech, state.q, i, axes="body")[..., 3:, :], state.v)
        more += 0.5 * np.einsum("...i,ij,...j->...", w, np.array(body.about_origin.tensor.rows(), dtype=float), w)
    return right + more, right


def _without_sliding_velocity(state: ErrataStates) -> Both | None:
    sliding = _sliding_bodies(state)
    if not sliding:
        return None
    right = kinetic_energy(state.mech, state.q, state.v)
    less = np.zeros_like(right)
    for i in sliding:
        body = state.mech.bodies[i]
        velocity = _product(jacobian(state.mech, state.q, i, tuple(body.com), axes="body")[..., :3, :], state.v)
        dof = state.mech.joints[i].dofs[0]
        slide = state.v[..., dof.speed, None] * dof.factor * np.array([*body.axis], dtype=float)
        less += 0.5 * body.mass * ((velocity**2).sum(-1) - ((velocity - slide) ** 2).sum(-1))
    return right - less, right


def _rotor_reaction_with_speed(state: ErrataStates) -> Both | None:
    if not state.mech.spins:
        return None
    wrong = state.tau.copy()
    for b, h, _, _ in state.wheel_rows():
        wrong += h * (state.v @ b - state.a @ b)[..., None]
    return wrong, state.tau


def _rotor_torque_with_speed(state: ErrataStates) -> Both | None:
    if not state.mech.spins:
        return None
    wrong = state.tau.copy()
    for b, _, inertia, drive in state.wheel_rows():
        wrong += b * (inertia * (state.v @ b - state.a @ b) - drive)[..., None]
    return wrong, state.tau


def _with_acceleration_errors(state: ErrataStates, error: Callable[[int], Array]) -> Array:
    """Forces of the motion where the accelerations of bodies and all after them have errors, world axes."""
    mech, wrong = state.mech, state.tau.copy()
    errors = [error(i) for i in range(len(mech.bodies))]
    for i, body in enumerate(mech.bodies):
        total = sum((errors[k] for k in mech.body_paths[i]), np.zeros((*state.v.shape[:-1], 3)))
        J = jacobian(mech, state.q, i, tuple(body.com))[..., :3, :]
        wrong += body.mass * np.einsum("...ij,...i->...j", J, total)
    return wrong


def _revolute_acceleration(state: ErrataStates) -> Both:
    def error(i: int) -> Array:
        parent = state.mech.parent_of(i)
        if parent == BASE:
            return np.zeros((*state.v.shape[:-1], 3))
        w, alpha = state.turning(parent)
        arm = placement(state.mech, state.q, i).position - placement(state.mech, state.q, parent).position
        inner = np.cross(w, arm)
        return np.cross(alpha, inner) - np.cross(alpha, arm) - np.cross(w, inner)

    return _with_acceleration_errors(state, error), state.tau


def _sliding_acceleration(state: ErrataStates) -> Both | None:
    sliding = _sliding_bodies(state)
    if not sliding:
        return None

    def error(i: int) -> Array:
        if i not in sliding:
            return np.zeros((*state.v.shape[:-1], 3))
        dof, (w, alpha) = state.mech.joints[i].dofs[0], state.turning(i)
        R = placement(state.mech, state.q, i).rotation
        slide = (R @ np.array([*state.mech.bodies[i].axis], dtype=float)) * state.v[..., dof.speed, None] * dof.factor
        return 2 * np.cross(alpha - w, slide)

    return _with_acceleration_errors(state, error), state.tau


def _gravity_twice(state: ErrataStates) -> Both:
    return state.tau + gravity(state.mech, state.q), state.tau


def _without_gravity(state: ErrataStates) -> Both:
    return state.tau - gravity(state.mech, state.q), state.tau


def _without_gyroscopic_terms(state: ErrataStates) -> Both:
    """The moments w x I w of links and rotors about their own mass centres, which (27) to (32) omit."""
    mech, right = state.mech, bias(state.mech, state.q, state.v)
    wrong = right.copy()
    for i, body in enumerate(mech.bodies):
        moments, first = np.array(body.about_origin.tensor.rows(), dtype=float), body.mass * np.array([*body.com])
        mass = float(body.mass)
        for spin in mech.spins_by_carrier[i]:
            if spin.rest is not None:
                tensor, place = _wheel_tensor(spin), np.array([*spin.rest.position], dtype=float)
                moments = moments - tensor - spin.rest.mass * (place @ place * np.eye(3) - np.outer(place, place))
                first, mass = first - spin.rest.mass * place, mass - float(spin.rest.mass)
        if mass > 0:
            com = first / mass
            moments = moments - mass * (com @ com * np.eye(3) - np.outer(com, com))
        wrong -= _gyroscopic_force(state, i, moments)
    for spin in mech.spins:
        if spin.rest is not None:
            wrong -= _gyroscopic_force(state, spin.name, _wheel_tensor(spin))
    return wrong, right


def _wheel_tensor(spin: Any) -> Array:
    e = np.array([*spin.axis], dtype=float)
    transverse = float(spin.rest.transverse_inertia)
    return transverse * np.eye(3) + (float(spin.inertia) - transverse) * np.outer(e, e)


def _gyroscopic_force(state: ErrataStates, body: int | str, tensor: Array) -> Array:
    J = jacobian(state.mech, state.q, body, axes="body")[..., 3:, :]
    w = _product(J, state.v)
    return np.einsum("...ij,...i->...j", J, np.cross(w, w @ tensor.T))


def _sun_turns_with_ring(state: ErrataStates) -> Both | None:
    suns = [spin for spin in state.mech.spins if spin.name.endswith("sun")]
    if not suns:
        return None
    names = {spin.name for spin in suns}
    spins = [replace(x, ratio=[-float(y) for y in x.ratio]) if x.name in names else x for x in state.mech.spins]
    return inverse_dynamics(replace(state.mech, spins=spins), state.q, state.v, state.a), state.tau


def _rotors_on_the_diagonal(state: ErrataStates) -> Both | None:
    if not state.mech.spins:
        return None
    return inverse_dynamics(approximate(state.mech, "diagonal"), state.q, state.v, state.a), state.tau


def _negative_input_matrix(state: ErrataStates) -> Both:
    return state.a - 2 * np.linalg.solve(mass_matrix(state.mech, state.q), state.tau[..., None])[..., 0], state.a


def _negative_bias(state: ErrataStates) -> Both:
    return state.tau - 2 * bias(state.mech, state.q, state.v), state.tau


@dataclass(frozen=True)
class Erratum:
    """An error in print whose effect can be computed on a robot.

    Args:
        work: the first author.
        equation: number of the equation.
        printed: the printed form.
        corrected: the corrected form.
        quantity: the quantity that is compared.
        values: computes it by both forms; None where the robot has no part that the equation is about.
        subject: the part that the equation is about, for robots without it.
    """

    work: str
    equation: str
    printed: str
    corrected: str
    quantity: str
    values: Callable[[ErrataStates], Both | None]
    subject: str = "links"


FORCES, ENERGY = "joint forces", "kinetic energy"
ERRATA = (
    Erratum("sciavicco", "(25)", "w' I w", "1/2 w' I w", ENERGY, _kinetic_energy_without_half),
    Erratum(
        *("sciavicco", "(26)", "dp_C = dp + w x r", "dp_C = dp + w x r + dd z", ENERGY),
        *(_without_sliding_velocity, "prismatic joints"),
    ),
    Erratum(
        *("sciavicco", "(38)", "k I dq z_m + k I dq w x z_m", "k I (ddq z_m + dq w x z_m)", FORCES),
        *(_rotor_reaction_with_speed, "wheels"),
    ),
    Erratum(
        *("sciavicco", "(43) revolute", "dw x (w x r)", "dw x r + w x (w x r)", FORCES, _revolute_acceleration),
    ),
    Erratum(
        *("sciavicco", "(43) prismatic", "2 dd dw x z", "2 dd w x z", FORCES),
        *(_sliding_acceleration, "prismatic joints"),
    ),
    Erratum(
        *("sciavicco", "(45)", "dw_m = k dq z_m", "dw_m = dw + k ddq z_m + k dq w x z_m", FORCES),
        *(_rotor_torque_with_speed, "wheels"),
    ),
    Erratum("sciavicco", "start values", "ddp_0 - g0, and -g0 in (35)", "one of them", FORCES, _gravity_twice),
    Erratum("chen_wang", "(23), (46)", "no gravity", "+ g(q) of the virtual links", FORCES, _without_gravity),
    Erratum(
        *("melhem_loria", "(27), (28), (32)", "M dnu + v = Q", "M dnu + n(nu) + v = Q, n: w x I w"),
        *("velocity and gravity forces", _without_gyroscopic_terms),
    ),
    Erratum(
        *("fernini", "(9)", "sun: +Zr/Zs", "sun: -Zr/Zs", FORCES, _sun_turns_with_ring, "planetary gears with suns"),
    ),
    Erratum(
        *("vukobratovic", "(20.71)-(20.73)", "rotors change the diagonal only", "+ J (b b' + b h' + h b')", FORCES),
        *(_rotors_on_the_diagonal, "wheels"),
    ),
    Erratum("vukobratovic", "(20.77)", "V = [0; -1/H]", "V = [0; +1/H]", "accelerations", _negative_input_matrix),
    Erratum("vukobratovic", "(20.92)", "H ddq - h", "H ddq + h", FORCES, _negative_bias),
)
"""Errors in print with an effect that any robot shows; the pages of the works list all errors."""


@dataclass(frozen=True)
class ErratumEffect:
    """The effect of an erratum on a robot.

    Args:
        erratum: the error in print.
        printed: the quantity by the printed equation, (samples, ...); None: it does not concern the robot.
        corrected: the quantity by the corrected equation.
    """

    erratum: Erratum
    printed: Array | None
    corrected: Array | None

    @property
    def relative_error(self) -> float | None:
        """Largest difference over all samples, relative to the largest corrected value."""
        if self.printed is None or self.corrected is None:
            return None
        scale = float(np.abs(self.corrected).max())
        return float(np.abs(self.printed - self.corrected).max()) / scale if scale else 0.0


@dataclass(frozen=True)
class ErrataReport:
    """Effects of the errors in print on one robot."""

    robot: str
    effects: tuple[ErratumEffect, ...]

    def table_rows(self) -> list[tuple[str, ...]]:
        """Work, equation, printed, corrected, quantity, largest relative error."""
        return [
            (x.work, x.equation, x.printed, x.corrected, x.quantity, _error_text(effect))
            for effect in self.effects
            for x in (effect.erratum,)
        ]

    def plot(self, path: str | Path | None = None) -> Any:
        """Return a figure of the relative errors, and save it if a path is given."""
        bars = [(x.erratum, 100 * x.relative_error) for x in self.effects if x.relative_error is not None]
        panels = [
            BarPanel(
                "error [%]",
                [x.equation for x, _ in bars if x.work == work],
                {"printed equation": [error for x, error in bars if x.work == work]},
                f"{work}: {self.robot}",
            )
            for work in dict.fromkeys(x.work for x, _ in bars)
        ]
        figure = bar_panel_figure(panels)
        return save_if_path(figure, path)


def _error_text(effect: ErratumEffect) -> str:
    error = effect.relative_error
    return f"no {effect.erratum.subject}" if error is None else f"{100 * error:.3g} %"


@check_arguments
def errata_effects(robot: RobotOrMech, work: str | None = None, *, samples: int = 50, seed: int = 0) -> ErrataReport:
    """Return the effects of the errors in print of the five works on a robot.

    Every quantity is computed by the printed and by the corrected equation in random states; springs are left out.

    Args:
        robot: a robot, or a machine.
        work: "sciavicco", "chen_wang", "melhem_loria", "fernini" or "vukobratovic"; None: all.
        samples: number of random states.
        seed: seed of the random states.

    >>> import gearwright as gw
    >>> report = errata_effects(gw.load("elbow"), "vukobratovic")
    >>> [(x.erratum.equation, round(x.relative_error, 3)) for x in report.effects][:1]
    [('(20.71)-(20.73)', 0.002)]
    """
    whole_number("errata_effects", "samples", samples, least=1)
    works = tuple(dict.fromkeys(x.work for x in ERRATA))
    if work is not None and work not in works:
        raise InputError(f"errata_effects: there is no work {work!r}. {did_you_mean(work, works)}")
    mech = replace(tree_of("errata_effects", robot), springs=())
    rng = np.random.default_rng(seed)
    q = integrate(mech, np.array(neutral(mech)), rng.uniform(-1.5, 1.5, (samples, mech.n)))
    v, a = rng.uniform(-1.5, 1.5, (2, samples, mech.n))
    state = ErrataStates(mech, q, v, a)
    effects = []
    for erratum in ERRATA:
        if work in (None, erratum.work):
            printed, corrected = erratum.values(state) or (None, None)
            effects.append(ErratumEffect(erratum, printed, corrected))
    return ErrataReport(str(getattr(robot, "name", "machine")), tuple(effects))
