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
from gearwright.forces.actuators.linear_actuator import LinearActuator
from gearwright.forces.friction.dry_friction import SmoothFriction, friction_laws
from gearwright.forces.law import Law
from gearwright.forces.laws_of_robot import choose_laws
from gearwright.forces.line import Line
from gearwright.forces.transmission.elastic_drives import elastic_laws
from gearwright.forces.transmission.gear_losses import loss_laws
from gearwright.forces.transmission.train_losses import train_loss_laws
from gearwright.functions.dynamics import bias, mass_matrix
from gearwright.mechanism import Mechanism, RobotOrMech, machine_of
from gearwright.parts import Robot
from gearwright.programs.inputs import checked
from gearwright.system.force_balance import rows_of
from gearwright.text import listed


@check_arguments
def complete_model(
    robot_or_mech: RobotOrMech,
    actuators: Sequence[LinearActuator],
    laws: Sequence[Law] | None = None,
    *,
    extra_laws: Sequence[Law] = (),
) -> CompleteModel:
    """The closed model of a machine driven by linear actuators; see `CompleteModel`.

    Args:
        robot_or_mech: the robot, with the friction, losses and springs that it states; or a machine, which has none
            but its linear springs.
        actuators: its linear actuators. `dc_motors(robot, mech)` leaves their friction to the robot, so that nothing
            counts twice.
        laws: laws instead of those of the robot, of which a warning names what is left out; () for none. Viscous
            friction is linear and taken along; everything else (dry friction, losses of gears, backlash, hysteresis) is
            refused by name.
        extra_laws: laws beside those of the robot.

    Raises:
        InputError: a law is not linear.
    """
    mech = machine_of("complete_model", robot_or_mech)
    strange = [x for x in actuators if not isinstance(x, LinearActuator)]
    if strange or not actuators:
        what = f"{strange[0]!r} is not a LinearActuator" if strange else "there are no actuators"
        raise InputError(
            f"complete_model: {what}. Give LinearActuators, such as dc_motor(mech, ...); simulate takes any law."
        )
    if not mech.straight:
        raise InputError(
            "complete_model: the machine has free, spherical or planar joints, whose speeds are not the rates of its "
            "coordinates. Use simulate(...), which takes the same actuators as laws."
        )
    chosen = choose_laws("complete_model", robot_or_mech, laws, extra_laws, lambda own: _stated(own, mech))
    _refuse_coordinates(actuators)
    model = CompleteModel(mech, tuple(actuators), tuple(_damper(law) for law in chosen.warned("complete_model")))
    _refuse_two_leaders(model)
    return model


def _refuse_coordinates(actuators: Sequence[LinearActuator]) -> None:
    for one in actuators:
        if not one.line.constant:
            raise InputError(
                f"complete_model: actuator {one.name!r} acts along {one.line.name!r}, which has no constant row. Use "
                "simulate(...), which takes the same actuators as laws."
            )


def _stated(robot: Robot, mech: Mechanism) -> tuple[Law, ...]:
    """What a robot states beside its motors; its end stops are left out, as limits of inputs are."""
    found: tuple[Law, ...] = ()
    for laws_of in (friction_laws, loss_laws, train_loss_laws, elastic_laws):
        found += laws_of(robot, mech)
    return found


def _damper(law: Law) -> Damper:
    """A linear law: viscous friction. Everything else is refused."""
    if isinstance(law, SmoothFriction) and law.friction.kind == "viscous":
        return Damper(law.line, float(law.friction.viscous))
    raise InputError(
        f"complete_model: {law.name!r} ({type(law).__name__}) is not linear, so that no x' = C(x) + D(x) u holds it. "
        "Simulate the robot instead, which takes the same actuators; or leave it out knowingly: give the laws that "
        "shall count (laws=()), or assemble(robot)."
    )


class Damper(NamedTuple):
    """Viscous friction along a line [Nms/rad or Ns/m]."""

    line: Line
    viscous: float


@dataclass(frozen=True)
class CompleteModel:
    r"""Machine and actuators as one system, $\dot x = \hat C(x) + \hat D(x) u$, affine in the inputs.

    The state is x = [q, v, own states of the actuators]; what an actuator shares with the machine (the angle and the
    speed of a motor) is there once. With A the actuators' lines as columns, all actuators stacked,

    - $M a + h = A \tau$
    - $A' a = T (C x + F \tau + D u)$

    which for direct drives (A = E) is $\tau = K (H T (C x + D u) + h)$, $K = (E - H T F)^{-1}$ and
    $\hat D = D + F K H T D$: equations 20.80 to 20.82 of Vukobratovic and Potkonjak, the last one with the F that is
    missing there. Inertia that the machine carries stays in M, so that rotors on moving links keep their coupling.

    Args:
        mech: the machine.
        actuators: its linear actuators; limits of their inputs are not applied here.
        dampers: viscous friction of joints and motors.

    >>> import gearwright as gw
    >>> from gearwright.forces.actuators.dc_motor import dc_motor
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> data = dict(torque_constant=0.05, resistance=0.5, inductance=1e-3)
    >>> model = complete_model(arm, [dc_motor(arm, name, **data) for name in ("j1", "j2", "j3")])
    >>> model.names[-3:], model.inputs
    (('j1.current', 'j2.current', 'j3.current'), ('j1.voltage', 'j2.voltage', 'j3.voltage'))
    >>> rates = model.rates(np.zeros(9), [1.0, 0.0, 0.0])
    >>> round(float(rates[6]), 9)            # 1 V / 1 mH
    1000.0
    """

    mech: Mechanism
    actuators: tuple[LinearActuator, ...]
    dampers: tuple[Damper, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the states: q.<coordinate>, v.<speed>, and the actuators' own."""
        q, v = (f"q.{name}" for name in self.mech.coordinates), (f"v.{name}" for name in self.mech.speeds)
        return (*q, *v, *(state.name for one in self.actuators for state in one.states))

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return tuple(one.name for actuator in self.actuators for one in actuator.controls)

    def rates(self, x: ArrayLike, u: ArrayLike) -> Array:
        """The rate of the state, (..., states), for states (..., states) and inputs (..., inputs)."""
        given = checked("complete_model", self.mech, "u", u, len(self.inputs), self.inputs)
        drift, inputs = self._parts(x)
        result: Array = drift + np.einsum("...ij,...j->...i", inputs, given)  # Vukobratovic (20.75)-(20.82), corrected
        return result

    def drift(self, x: ArrayLike) -> Array:
        """The rate without inputs, (..., states)."""
        return self._parts(x)[0]

    def input_matrix(self, x: ArrayLike) -> Array:
        """What a unit of each input adds to the rate, (..., states, inputs)."""
        return self._parts(x)[1]

    def stacked(self, x: ArrayLike) -> Array:
        """The states of all actuators one after the other, shared ones repeated, (..., sum of orders)."""
        return self._columns(x) @ self._spread.T

    @cached_property
    def lines(self) -> Array:
        """A (n, actuators): the actuators' lines as columns."""
        return rows_of([one.line for one in self.actuators], self.mech.n).T

    @cached_property
    def blocks(self) -> tuple[Array, Array, Array, Array, Array]:
        """C, F, D, T and e of all actuators together, block by block."""
        many = self.actuators
        return (
            _diagonal([np.array(one.C) for one in many]),
            _diagonal([np.array([one.f]).T for one in many]),
            _diagonal([np.array(one.d) for one in many]),
            _diagonal([np.array([one.tie]) for one in many]),
            np.concatenate([np.array(one.offset) for one in many]),
        )

    @cached_property
    def _spread(self) -> Array:
        """The matrix from [q, v, own states] to all actuators' states."""
        n = self.mech.n
        columns = []
        for j, unit in enumerate(np.eye(len(self.names)).tolist()):
            own, column = iter(unit[2 * n :]), []
            for one in self.actuators:
                mine = [next(own) for _ in one.own]
                way = one.line.position(unit[:n]) if one.ways and j < n else 0.0
                column += one.vector(way, one.line.speed(unit[n : 2 * n]), mine)
            columns.append(column)
        return np.array(columns, dtype=np.float64).T

    def _columns(self, x: ArrayLike) -> Array:
        return checked("complete_model", self.mech, "x", x, len(self.names), self.names)

    def _parts(self, x: ArrayLike) -> tuple[Array, Array]:
        """Drift and input matrix together: both are columns of one solution."""
        state, n = self._columns(x), self.mech.n
        q, v = state[..., :n], state[..., n : 2 * n]
        C, F, D, _, e = self.blocks
        free = self.stacked(state) @ C.T + e
        right = np.concatenate([free[..., None], np.broadcast_to(D, (*free.shape[:-1], *D.shape))], axis=-1)
        a, output = self._solved(q, v, right)
        rates = right + F @ output
        own = [start + k for start, one in zip(self._starts, self.actuators, strict=True) for k in one.own]
        whole = np.zeros((*state.shape, right.shape[-1]))
        whole[..., :n, 0], whole[..., n : 2 * n, :], whole[..., 2 * n :, :] = v, a, rates[..., own, :]
        return whole[..., 0], whole[..., 1:]

    @cached_property
    def _damping(self) -> Array:
        """The matrix of viscous friction (n, n): the sum of d b b' over all dampers."""
        total = np.zeros((self.mech.n, self.mech.n))
        for line, viscous in self.dampers:
            for i, x in line.terms:
                for j, y in line.terms:
                    total[i, j] += viscous * float(x) * float(y)
        return total

    @cached_property
    def _starts(self) -> list[int]:
        orders = [len(one.variables) for one in self.actuators]
        return [sum(orders[:k]) for k in range(len(orders))]

    def _solved(self, q: Array, v: Array, right: Array) -> tuple[Array, Array]:
        """Accelerations and output forces for columns of T x' that the actuators would have without load."""
        n, A = self.mech.n, self.lines
        _, F, _, T, _ = self.blocks
        carried = A @ np.diag([one.carried for one in self.actuators]) @ A.T
        H, h = mass_matrix(self.mech, q) - carried, bias(self.mech, q, v) + v @ self._damping
        load = np.zeros((*h.shape, right.shape[-1]))
        load[..., 0] = -h
        count = A.shape[1]
        system = np.zeros((*h.shape[:-1], n + count, n + count))
        system[..., :n, :n], system[..., :n, n:] = H, -A
        system[..., n:, :n], system[..., n:, n:] = A.T, -T @ F
        try:
            solution = np.linalg.solve(system, np.concatenate([load, T @ right], axis=-2))
        except np.linalg.LinAlgError:
            raise SingularityError(
                "complete_model: accelerations cannot be solved for: a link that no actuator moves has no mass. Give "
                "it mass, or a motor."
            ) from None
        return solution[..., :n, :], solution[..., n:, :]


def _refuse_two_leaders(model: CompleteModel) -> None:
    """Actuators that no force holds back (T f = 0) must lead independent motions."""
    leaders = [k for k, one in enumerate(model.actuators) if one.leads]
    if leaders and np.linalg.matrix_rank(model.lines[:, leaders]) < len(leaders):
        names = listed(model.actuators[k].name for k in leaders)
        raise SingularityError(
            f"complete_model: {names} are led whatever the force (T f = 0), but not along independent motions. Give "
            "one of them an inertia."
        )


def _diagonal(blocks: Sequence[Array]) -> Array:
    """One block after the other down the diagonal."""
    whole = np.zeros((sum(b.shape[0] for b in blocks), sum(b.shape[1] for b in blocks)))
    row = column = 0
    for block in blocks:
        whole[row : row + block.shape[0], column : column + block.shape[1]] = block
        row, column = row + block.shape[0], column + block.shape[1]
    return whole
