"""The complete model: machine and linear actuators as one system x' = C^(x) + D^(x) u."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.errors import InputError, SingularityError
from gearwright.forces import (
    Law,
    Line,
    LinearActuator,
    SmoothFriction,
    elastic_laws,
    friction_laws,
    loss_laws,
    train_loss_laws,
)
from gearwright.forces.contact.contacts_of_robot import without_loops
from gearwright.forces.laws_of_robot import choose_laws
from gearwright.functions import bias, mass_matrix, speed_directions, whole_motion
from gearwright.mechanism import Mechanism, RobotOrMech
from gearwright.parts import Robot
from gearwright.programs import ClosedMechanism, machine_of
from gearwright.programs.inputs import checked_array
from gearwright.system.force_balance import line_rows
from gearwright.text import listed_names


@check_arguments
def complete_model(
    robot_or_mech: RobotOrMech,
    actuators: Sequence[LinearActuator],
    laws: Sequence[Law] | None = None,
    *,
    extra_laws: Sequence[Law] = (),
) -> CompleteModel:
    """Return the closed model of a machine driven by linear actuators; see `CompleteModel`.

    Args:
        robot_or_mech: the robot, with its friction, losses and springs; or a machine, which has only its linear
            springs. With closed loops the states are those of the independent speeds.
        actuators: its linear actuators. `dc_motors(robot, mech)` omits their friction, which the robot contributes, so
            it counts once.
        laws: replacements of the robot's laws; a warning lists the omitted ones; () for none. Viscous friction is
            linear and included; other laws (dry friction, gear losses, backlash, hysteresis) raise an error.
        extra_laws: additional laws.

    Raises:
        InputError: a law is not linear.
    """
    mech = machine_of("complete_model", robot_or_mech)
    unsuitable = [x for x in actuators if not isinstance(x, LinearActuator)]
    if unsuitable or not actuators:
        problem = f"{unsuitable[0]!r} is not a LinearActuator" if unsuitable else "no actuators are given"
        raise InputError(
            f"complete_model: {problem}. Give LinearActuators, such as dc_motor(mech, ...); simulate accepts any law."
        )
    if not mech.tree.speeds_are_rates:
        raise InputError(
            "complete_model: the machine has free, spherical or planar joints, whose speeds are not the rates of its "
            "coordinates. Use simulate(...), which accepts the same actuators as laws."
        )
    law_choice = choose_laws(
        "complete_model", robot_or_mech, laws, extra_laws, lambda robot: _robot_laws(robot, mech.tree)
    )
    _refuse_coordinates(actuators)
    acting = without_loops(robot_or_mech, law_choice.laws_with_warning("complete_model"))
    model = CompleteModel(mech, tuple(actuators), tuple(_as_damper(law) for law in acting))
    _refuse_two_leaders(model)
    return model


def _refuse_coordinates(actuators: Sequence[LinearActuator]) -> None:
    for actuator in actuators:
        if not actuator.line.is_constant:
            raise InputError(
                f"complete_model: actuator {actuator.name!r} acts along {actuator.line.name!r}, which has no constant "
                "row. Use simulate(...), which accepts the same actuators as laws."
            )


def _robot_laws(robot: Robot, mech: Mechanism) -> tuple[Law, ...]:
    """The laws of a robot other than its motors; end stops and input limits are left out."""
    laws: tuple[Law, ...] = ()
    for laws_function in (friction_laws, loss_laws, train_loss_laws, elastic_laws):
        laws += laws_function(robot, mech)
    return laws


def _as_damper(law: Law) -> ViscousDamper:
    """The viscous friction of a law; an error for any other law."""
    if isinstance(law, SmoothFriction) and law.friction.kind == "viscous" and law.friction.lubricant is None:
        return ViscousDamper(law.line, float(law.friction.viscous))
    raise InputError(
        f"complete_model: {law.name!r} ({type(law).__name__}) is not linear and cannot be part of x' = C(x) + D(x) u. "
        "Use simulate(...) with the same actuators; or leave the law out: give the laws to include (laws=()), or "
        "assemble_tree(robot)."
    )


class ViscousDamper(NamedTuple):
    """Viscous friction along a line [Nms/rad or Ns/m]."""

    line: Line
    viscous: float


class _TreeMotion(NamedTuple):
    """Configuration (..., nq) and speeds (..., n) of the open tree, G (..., n, f) and the accelerations g (..., n)."""

    q: Array
    v: Array
    G: Array
    drift: Array


@dataclass(frozen=True)
class CompleteModel:
    r"""Machine and actuators as one system, $\dot x = \hat C(x) + \hat D(x) u$, affine in the inputs.

    The state is x = [q, v, own states of the actuators]; states that an actuator shares with the machine (angle and
    speed of a motor) appear once. With A the actuators' lines as columns, all actuators stacked,

    - $M a + h = A \tau$
    - $A' a = T (C x + F \tau + D u)$

    With closed loops q and v are those of the independent speeds, A becomes $G' A$ and h contains $G' M g$; the rate of
    the lines is $A' (G a + g)$.

    which for direct drives (A = E) is $\tau = K (H T (C x + D u) + h)$, $K = (E - H T F)^{-1}$ and
    $\hat D = D + F K H T D$: equations 20.80 to 20.82 of Vukobratovic and Potkonjak, the last one with the F that is
    missing there. Inertia of the machine stays in M, so rotors on moving links keep their coupling.

    Args:
        mech: the machine.
        actuators: its linear actuators; limits of their inputs are not applied here.
        dampers: viscous friction of joints and motors.

    >>> import gearwright as gw
    >>> from gearwright.forces.actuators.dc_motor import DcMotorData, dc_motor
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> data = DcMotorData(torque_constant=0.05, resistance=0.5, inductance=1e-3)
    >>> model = complete_model(arm, [dc_motor(arm, name, data) for name in ("j1", "j2", "j3")])
    >>> model.state_names[-3:], model.inputs
    (('j1.current', 'j2.current', 'j3.current'), ('j1.voltage', 'j2.voltage', 'j3.voltage'))
    >>> rates = model.rates(np.zeros(9), [1.0, 0.0, 0.0])
    >>> round(float(rates[6]), 9)            # 1 V / 1 mH
    1000.0
    """

    mech: Mechanism
    actuators: tuple[LinearActuator, ...]
    dampers: tuple[ViscousDamper, ...] = ()

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of the states: q.<coordinate>, v.<speed>, and the actuators' own."""
        q, v = (f"q.{name}" for name in self.mech.independent_coordinates), (f"v.{name}" for name in self.mech.speeds)
        return (*q, *v, *(state.name for actuator in self.actuators for state in actuator.states))

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return tuple(control.name for actuator in self.actuators for control in actuator.controls)

    def rates(self, x: ArrayLike, u: ArrayLike) -> Array:
        """The rate of the state, (..., states), for states (..., states) and inputs (..., inputs)."""
        inputs_given = checked_array("complete_model", self.mech, "u", u, len(self.inputs), self.inputs)
        drift, inputs = self._drift_and_inputs(x)
        result: Array = drift + np.einsum(
            "...ij,...j->...i", inputs, inputs_given
        )  # Vukobratovic (20.75)-(20.82), corrected
        return result

    def drift(self, x: ArrayLike) -> Array:
        """The rate without inputs, (..., states)."""
        return self._drift_and_inputs(x)[0]

    def input_matrix(self, x: ArrayLike) -> Array:
        """The derivative of the rate by the inputs, (..., states, inputs)."""
        return self._drift_and_inputs(x)[1]

    def actuator_states(self, x: ArrayLike) -> Array:
        """The states of all actuators stacked, shared ones repeated, (..., sum of orders)."""
        state, n = self._checked_state(x), self.mech.n
        return self._actuator_states(state, self._motion_of_tree(state[..., :n], state[..., n : 2 * n]))

    def _actuator_states(self, state: Array, motion: _TreeMotion) -> Array:
        own_values = state[..., 2 * self.mech.n :]
        states: Array = np.concatenate([motion.q, motion.v, own_values], axis=-1) @ self._actuator_state_matrix.T
        return states

    def _motion_of_tree(self, q: Array, v: Array) -> _TreeMotion:
        """Configuration and speeds of all joints at independent ones."""
        if not isinstance(self.mech, ClosedMechanism):
            return _TreeMotion(q, v, np.eye(self.mech.n), np.zeros(v.shape))
        whole, speeds, drift = whole_motion("complete_model", self.mech, self.mech.closed(q), v, np.zeros(v.shape))
        G = speed_directions(self.mech, whole)
        return _TreeMotion(np.asarray(whole), np.asarray(speeds), G, np.asarray(drift))

    @cached_property
    def line_matrix(self) -> Array:
        """The matrix A (n, actuators) with the actuators' lines over all speeds as columns."""
        return line_rows([actuator.line for actuator in self.actuators], self.mech.tree.n).T

    @cached_property
    def actuator_matrices(self) -> tuple[Array, Array, Array, Array, Array]:
        """C, F, D, T and e of all actuators, block diagonal or stacked."""
        actuators = self.actuators
        return (
            _block_diagonal([np.array(actuator.C) for actuator in actuators]),
            _block_diagonal([np.array([actuator.f]).T for actuator in actuators]),
            _block_diagonal([np.array(actuator.d) for actuator in actuators]),
            _block_diagonal([np.array([actuator.tie]) for actuator in actuators]),
            np.concatenate([np.array(actuator.offset) for actuator in actuators]),
        )

    @cached_property
    def _actuator_state_matrix(self) -> Array:
        """The matrix from q and v of all joints and the own states to all actuators' states."""
        n = self.mech.tree.n
        columns = []
        for j, unit in enumerate(np.eye(len(self.state_names) + 2 * (n - self.mech.n)).tolist()):
            own_values, column = iter(unit[2 * n :]), []
            for actuator in self.actuators:
                actuator_values = [next(own_values) for _ in actuator.own_states]
                position = actuator.line.position(unit[:n]) if actuator.position_states and j < n else 0.0
                column += actuator.full_state(position, actuator.line.speed(unit[n : 2 * n]), actuator_values)
            columns.append(column)
        return np.array(columns, dtype=np.float64).T

    def _checked_state(self, x: ArrayLike) -> Array:
        return checked_array("complete_model", self.mech, "x", x, len(self.state_names), self.state_names)

    def _drift_and_inputs(self, x: ArrayLike) -> tuple[Array, Array]:
        """Drift and input matrix, both columns of one solution."""
        state, n = self._checked_state(x), self.mech.n
        v = state[..., n : 2 * n]
        motion = self._motion_of_tree(state[..., :n], v)
        C, F, D, _, e = self.actuator_matrices
        free = self._actuator_states(state, motion) @ C.T + e
        right = np.concatenate([free[..., None], np.broadcast_to(D, (*free.shape[:-1], *D.shape))], axis=-1)
        a, output = self._solve_motion(motion, v, right)
        rates = right + F @ output
        own_indices = [
            start + k
            for start, actuator in zip(self._state_offsets, self.actuators, strict=True)
            for k in actuator.own_states
        ]
        whole = np.zeros((*state.shape, right.shape[-1]))
        whole[..., :n, 0], whole[..., n : 2 * n, :], whole[..., 2 * n :, :] = v, a, rates[..., own_indices, :]
        return whole[..., 0], whole[..., 1:]

    @cached_property
    def _damping_matrix(self) -> Array:
        """The matrix of viscous friction (n, n): the sum of d b b' over all dampers."""
        total = np.zeros((self.mech.tree.n, self.mech.tree.n))
        for line, viscous in self.dampers:
            for i, x in line.terms:
                for j, y in line.terms:
                    total[i, j] += viscous * float(x) * float(y)
        return total

    @cached_property
    def _state_offsets(self) -> list[int]:
        orders = [len(actuator.variables) for actuator in self.actuators]
        return [sum(orders[:k]) for k in range(len(orders))]

    def _solve_motion(self, motion: _TreeMotion, v: Array, right: Array) -> tuple[Array, Array]:
        """Accelerations and output forces for columns of the no-load T x' of the actuators."""
        n, G_transposed = self.mech.n, np.swapaxes(motion.G, -1, -2)
        _, F, _, T, _ = self.actuator_matrices
        carried = np.array([actuator.carried for actuator in self.actuators], dtype=np.float64)
        A, line_drift = G_transposed @ self.line_matrix, motion.drift @ self.line_matrix
        damping, drift_force = motion.v @ self._damping_matrix, (line_drift * carried) @ self.line_matrix.T
        H = mass_matrix(self.mech, motion.q) - (A * carried) @ np.swapaxes(A, -1, -2)
        h = bias(self.mech, motion.q, v) + np.einsum("...kj,...k->...j", motion.G, damping - drift_force)
        load = np.zeros((*h.shape, right.shape[-1]))
        load[..., 0] = -h
        rates = np.array(np.broadcast_to(T @ right, (*h.shape[:-1], len(T), right.shape[-1])))
        rates[..., 0] -= line_drift
        count = A.shape[-1]
        system = np.zeros((*h.shape[:-1], n + count, n + count))
        system[..., :n, :n], system[..., :n, n:] = H, -A
        system[..., n:, :n], system[..., n:, n:] = np.swapaxes(A, -1, -2), -T @ F
        try:
            solution = np.linalg.solve(system, np.concatenate([load, rates], axis=-2))
        except np.linalg.LinAlgError:
            raise SingularityError(
                "complete_model: the equations of motion are singular: a link without an actuator has no mass. Give "
                "it mass, or a motor."
            ) from None
        return solution[..., :n, :], solution[..., n:, :]


def _refuse_two_leaders(model: CompleteModel) -> None:
    """Raise an error for ideal velocity sources (T f = 0) along dependent lines."""
    leaders = [k for k, actuator in enumerate(model.actuators) if actuator.is_velocity_source]
    if leaders and np.linalg.matrix_rank(model.line_matrix[:, leaders]) < len(leaders):
        names = listed_names(model.actuators[k].name for k in leaders)
        raise SingularityError(
            f"complete_model: {names} are ideal velocity sources (T f = 0) along dependent lines. Give one of them an "
            "inertia."
        )


def _block_diagonal(blocks: Sequence[Array]) -> Array:
    """The block diagonal matrix of the blocks."""
    matrix = np.zeros((sum(b.shape[0] for b in blocks), sum(b.shape[1] for b in blocks)))
    row = column = 0
    for block in blocks:
        matrix[row : row + block.shape[0], column : column + block.shape[1]] = block
        row, column = row + block.shape[0], column + block.shape[1]
    return matrix
