"""A robot with its laws as a linear state space, for python-control and SciPy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.forces.law import Law
from gearwright.functions.linearise import adjoint, tangent_map
from gearwright.mechanism import Mechanism, RobotOrMech, machine_of
from gearwright.plots import saved
from gearwright.plots.notebook import Shown
from gearwright.plots.poles import poles
from gearwright.programs.inputs import checked
from gearwright.system.open_systems.operating_point import OperatingPoint, operating_point
from gearwright.text import did_you_mean, plain_names

CALLER = "export.state_space"


@dataclass(frozen=True)
class StateSpace(Shown):
    """dx' = A dx + B du, dy = C dx + D du about an operating point.

    Args:
        A: (states, states).
        B: (states, inputs).
        C: (outputs, states).
        D: (outputs, inputs), zero.
        states: names of the states, without dots: configurations, speeds, states of laws.
        inputs: names of the inputs.
        outputs: names of the outputs.
        x: the states at the operating point, q with all its coordinates.
        u: the inputs there.
        modes: the modes of laws that have several.
    """

    A: Array
    B: Array
    C: Array
    D: Array
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    x: Array
    u: Array
    modes: Mapping[str, str]

    def plot(self, path: str | Path | None = None) -> Any:
        """The poles in the complex plane [1/s]; with `path` (.png, .svg, .pdf) it is saved too."""
        return saved(poles(np.linalg.eigvals(self.A)), path)

    @property
    def matrices(self) -> tuple[Array, Array, Array, Array]:
        """The four matrices, for `scipy.signal.StateSpace(*model.matrices)`."""
        return self.A, self.B, self.C, self.D

    @property
    def names(self) -> dict[str, list[str]]:
        """All names, for `control.ss(*model.matrices, **model.names)`."""
        return {"states": list(self.states), "inputs": list(self.inputs), "outputs": list(self.outputs)}


@check_arguments
def state_space(
    robot: RobotOrMech,
    q: ArrayLike,
    v: ArrayLike | None = None,
    *,
    inputs: str | Iterable[str] = "torque",
    outputs: Sequence[str] | None = None,
    u: Any = None,
    states: Mapping[str, float] | None = None,
    laws: Iterable[Law] | None = None,
    extra_laws: Iterable[Law] = (),
) -> StateSpace:
    """The linear model of a robot with its laws about a state.

    Args:
        robot: the robot (with the laws of its file) or a machine.
        q: configuration (nq,).
        v: speeds (n,); at rest unless given.
        inputs: "torque", "motor_torque", "voltage", or names, as for `gw.casadi_rates`.
        outputs: which states are outputs, such as ["q.j1"]; all unless given.
        u: the inputs at the state, by name or in order. Unless given, those that keep it steady are found, with the
            states of laws that go with them; shafts then give way under their load.
        states: states of laws at the state, such as {"j1.current": 2}.
        laws: laws instead of those of the robot, of which a warning names what is left out; () for none. Laws with
            modes are linearised in the mode they are in; one that holds (friction that sticks), that depends on
            accelerations, or that bends at this very state is refused by name.
        extra_laws: laws beside those of the robot.

    Returns:
        The model; small changes of q are in the tangent, one per speed.

    >>> import gearwright as gw
    >>> model = state_space(gw.load("elbow"), [0, 0.5, 0.3], outputs=["q.j2"])
    >>> model.inputs, model.outputs, model.A.shape, model.u.round(3)
    (('tau_j1', 'tau_j2', 'tau_j3'), ('q_j2',), (6, 6), array([ 0.   , 22.231,  3.076]))
    """
    mech = machine_of(CALLER, robot)
    start: dict[str, Any] = {"q": _one(mech, "q", q, mech.nq)}
    start["v"] = np.zeros(mech.n) if v is None else _one(mech, "v", v, mech.n)
    point = operating_point(CALLER, robot, {**start, **(states or {})}, inputs, u, laws, extra_laws)
    A, B = _in_the_tangent(mech, point)
    own = [*(f"q.{x}" for x in mech.speeds), *(f"v.{x}" for x in mech.speeds), *point.around.system.states]
    watched = own if outputs is None else [_known(name, own) for name in outputs]
    C = np.eye(len(own))[[own.index(name) for name in watched]]
    plain = dict(zip(own, plain_names(own), strict=True))
    given = tuple(plain_names(point.around.rates.inputs, taken=plain.values()))
    shown = tuple(plain[name] for name in watched)
    D = np.zeros((len(watched), len(given)))
    return StateSpace(A, B, C, D, tuple(plain.values()), given, shown, point.x, point.u, point.modes)


def _one(mech: Mechanism, name: str, value: ArrayLike, size: int) -> Array:
    array = checked(CALLER, mech, name, value, size)
    if array.ndim != 1:
        raise InputError(f"{CALLER}: {name} has shape {array.shape}, but a model is about one state ({size},).")
    return array


def _known(name: str, states: Sequence[str]) -> str:
    if name not in states:
        raise InputError(f"{CALLER}: there is no state {name!r} to be an output. {did_you_mean(name, states)}")
    return name


def _in_the_tangent(mech: Mechanism, point: OperatingPoint) -> tuple[Array, Array]:
    """A and B with small changes of q in the tangent: dq = G d, and d' = -ad(v) d + dv."""
    A, B = point.around.slopes(point.x, point.u)
    nq, n = mech.nq, mech.n
    q, v = point.x[:nq], point.x[nq : nq + n]
    below = np.hstack([A[nq:, :nq] @ tangent_map(mech, q), A[nq:, nq:]])
    above = np.zeros((n, below.shape[1]))
    above[:, :n], above[:, n : 2 * n] = -adjoint(mech, v), np.eye(n)
    return np.vstack([above, below]), np.vstack([np.zeros((n, B.shape[1])), B[nq:]])
