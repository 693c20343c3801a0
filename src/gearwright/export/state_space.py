"""A robot with its laws as a linear state-space model, for python-control and SciPy."""

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
from gearwright.forces import Law
from gearwright.functions import speed_directions, whole_motion
from gearwright.functions.linearise import adjoint_matrix, tangent_map
from gearwright.mechanism import Mechanism, RobotOrMech
from gearwright.plots import NotebookFigure, pole_figure, save_if_path
from gearwright.programs import ClosedMechanism, machine_of
from gearwright.programs.inputs import checked_array
from gearwright.system.open_systems.operating_point import OperatingPoint, operating_point
from gearwright.text import did_you_mean, plain_names

STATE_SPACE_CALLER = "export.state_space"


@dataclass(frozen=True)
class StateSpace(NotebookFigure):
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
        modes: the modes of laws with several.
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
        """Return a figure of the poles [1/s] in the complex plane; with `path` (.png, .svg, .pdf) it is saved too."""
        return save_if_path(pole_figure(np.linalg.eigvals(self.A)), path)

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
    """Return the linear model of a robot with its laws about an operating point.

    Args:
        robot: the robot (with the laws of its file) or a machine.
        q: configuration (nq,). With closed loops q and v may be independent coordinates and speeds; the model is that
            of the independent speeds, unless `laws` excludes the loops and all coordinates are given.
        v: speeds (n,); by default zero.
        inputs: "torque", "motor_torque", "voltage", or names, as for `gw.casadi_rates`.
        outputs: states that are outputs, such as ["q.j1"]; by default all.
        u: the inputs at the operating point, by name or in order. By default those of the equilibrium, with the
            corresponding states of laws; shafts then deflect under their load.
        states: states of laws at the operating point, such as {"j1.current": 2}.
        laws: laws that replace those of the robot, with a warning that lists the omitted ones; () for none. Laws with
            modes are linearised in their present mode; a law that constrains (stiction), that depends on accelerations,
            or that has a branch point at the operating point raises an error.
        extra_laws: laws added to those of the robot.

    Returns:
        The model; small changes of q are in the tangent space, one per speed.

    >>> import gearwright as gw
    >>> model = state_space(gw.load("elbow"), [0, 0.5, 0.3], outputs=["q.j2"])
    >>> model.inputs, model.outputs, model.A.shape, model.u.round(3)
    (('tau_j1', 'tau_j2', 'tau_j3'), ('q_j2',), (6, 6), array([ 0.   , 22.231,  3.076]))
    """
    mech = machine_of(STATE_SPACE_CALLER, robot)
    if laws is not None and np.shape(q) == (mech.nq,):
        mech = mech.tree
    is_closed = isinstance(mech, ClosedMechanism)
    if is_closed:
        q, v, _ = whole_motion(STATE_SPACE_CALLER, mech, q, np.zeros(mech.n) if v is None else v, np.zeros(mech.n))
    start: dict[str, Any] = {"q": _single_state(mech.tree, "q", q, mech.nq)}
    start["v"] = np.zeros(mech.tree.n) if v is None else _single_state(mech.tree, "v", v, mech.tree.n)
    point = operating_point(
        STATE_SPACE_CALLER,
        robot,
        {**start, **(states or {})},
        inputs,
        u,
        laws,
        extra_laws,
        embeds_loops=is_closed,
    )
    A, B = _tangent_matrices(mech, point)
    state_names = [*(f"q.{x}" for x in mech.speeds), *(f"v.{x}" for x in mech.speeds), *point.around.system.states]
    output_names = state_names if outputs is None else [_checked_state(name, state_names) for name in outputs]
    C = np.eye(len(state_names))[[state_names.index(name) for name in output_names]]
    plain = dict(zip(state_names, plain_names(state_names), strict=True))
    input_names = tuple(plain_names(point.around.rates.inputs, reserved=plain.values()))
    shown_names = tuple(plain[name] for name in output_names)
    x = point.x
    if isinstance(mech, ClosedMechanism):
        speeds = [mech.nq + k for k in mech.closure.independent]
        x = x[[*mech.independent_indices, *speeds, *range(mech.nq + mech.tree.n, len(x))]]
    D = np.zeros((len(output_names), len(input_names)))
    return StateSpace(A, B, C, D, tuple(plain.values()), input_names, shown_names, x, point.u, point.modes)


def _single_state(mech: Mechanism, name: str, value: ArrayLike, size: int) -> Array:
    array = checked_array(STATE_SPACE_CALLER, mech, name, value, size)
    if array.ndim != 1:
        raise InputError(
            f"{STATE_SPACE_CALLER}: {name} has shape {array.shape}, but the model has one operating point ({size},)."
        )
    return array


def _checked_state(name: str, states: Sequence[str]) -> str:
    if name not in states:
        raise InputError(f"{STATE_SPACE_CALLER}: output {name!r} is not a state. {did_you_mean(name, states)}")
    return name


def _tangent_matrices(mech: Mechanism, point: OperatingPoint) -> tuple[Array, Array]:
    """Return A and B with small changes of q in the tangent space: dq = G d, and d' = -ad(v) d + dv."""
    A, B = point.around.state_and_input_matrices(point.x, point.u)
    tree, nq, n = mech.tree, mech.nq, mech.n
    q, v = point.x[:nq], point.x[nq : nq + tree.n]
    G, free = np.eye(n), list(range(n))
    if isinstance(mech, ClosedMechanism):
        G, free = speed_directions(mech, q), list(mech.closure.independent)
    kept = [*(nq + k for k in free), *range(nq + tree.n, len(A))]  # independent speeds and states of laws
    below = np.hstack([A[kept][:, :nq] @ tangent_map(tree, q) @ G, A[kept][:, kept]])
    above = np.zeros((n, below.shape[1]))
    above[:, :n], above[:, n : 2 * n] = -(adjoint_matrix(tree, v) @ G)[free], np.eye(n)
    return np.vstack([above, below]), np.vstack([np.zeros((n, B.shape[1])), B[kept]])
