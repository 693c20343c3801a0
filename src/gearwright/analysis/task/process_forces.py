"""Process forces on a robot over one cycle: grinding, pressing, a pulling cable."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from gearwright.algebra import ZERO, Scalar, Vec
from gearwright.analysis.parametric_series import SERIES_OPERATIONS, column_series
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import increasing_array, number_array, real_number
from gearwright.arrays import Array
from gearwright.dynamics.pose import Pose, place_machine
from gearwright.errors import InputError
from gearwright.forces import Wrench
from gearwright.functions.dynamics import Wrenches
from gearwright.mechanism import Mechanism
from gearwright.system.inputs import Signal

ForceRows = Sequence[float] | Sequence[Sequence[float]]


@check_arguments
@dataclass(frozen=True)
class ProcessForce:
    """A force and moment at the origin of a frame, acting on the robot.

    Args:
        frame: a frame or link of the robot.
        force: [N], (3,), or (T, 3) for the T `times`.
        moment: [Nm], in the same form.
        times: increasing times [s] from `start`; the force is interpolated between them. None: it is constant.
        axes: "world", or "frame" for a force that turns with the frame.
        start: start time in the cycle [s].
        end: end time; by default the end of the cycle.
        name: of the force.

    >>> press = ProcessForce("tool", [[0, 0, 0], [0, 0, 80]], times=[0.0, 0.5], start=1.0, end=2.0)
    >>> press.wrench_at(np.array([0.9, 1.25, 1.9, 2.0]))[:, 2].tolist()
    [0.0, 40.0, 80.0, 0.0]
    """

    frame: str
    force: ForceRows = (0.0, 0.0, 0.0)
    moment: ForceRows = (0.0, 0.0, 0.0)
    times: Sequence[float] | None = None
    axes: Literal["world", "frame"] = "world"
    start: float = 0.0
    end: float | None = None
    name: str = "process"

    def __post_init__(self) -> None:
        owner = f"force {self.name!r}"
        times = (0.0,) if self.times is None else tuple(increasing_array(owner, "times", self.times, least=1).tolist())
        for word in ("force", "moment"):
            object.__setattr__(self, word, _force_rows(owner, word, getattr(self, word), len(times)))
        if self.times is not None:
            object.__setattr__(self, "times", times)
        real_number(owner, "start", self.start, least=0.0, unit="seconds", example=0.5)
        if self.end is not None:
            real_number(owner, "end", self.end, above=self.start, unit="seconds", example=self.start + 1.0)
        self.wrench_law  # noqa: B018 - the law checks the axes

    @property
    def wrench_law(self) -> Wrench:
        """The law that acts on the machine."""
        return Wrench(self.name, self.frame, self.axes)

    def wrench_at(self, t: Array) -> Array:
        """Force and moment at times of the cycle, in the force's own axes, (T, 6)."""
        elapsed = np.asarray(t, dtype=np.float64) - self.start
        acting = elapsed >= 0 if self.end is None else (elapsed >= 0) & (elapsed < self.end - self.start)
        knots = [0.0] if self.times is None else list(self.times)
        columns = (np.interp(elapsed, knots, column) for column in np.hstack([self.force, self.moment]).T)
        return np.asarray(np.stack(list(columns), axis=-1) * acting[..., None])

    def input_signals(self) -> dict[str, Signal]:
        """The inputs of its law."""
        return {law_input.name: self._component_signal(k) for k, law_input in enumerate(self.wrench_law.inputs)}

    def _component_signal(self, component: int) -> Signal:
        """One component over time; in plain numbers, because a run evaluates it thousands of times."""
        values = np.hstack([self.force, self.moment])[:, component].tolist()
        knots = [self.start + t for t in self.times or (0.0,)]
        start, end = self.start, float("inf") if self.end is None else self.end
        if not any(values):
            return Signal(lambda _: 0.0, constant=True)

        def value_at(now: float) -> float:
            if not start <= now < end:
                return 0.0
            k = bisect_right(knots, now)
            if k in (0, len(knots)):
                return values[min(k, len(knots) - 1)]
            share = (now - knots[k - 1]) / (knots[k] - knots[k - 1])
            return values[k - 1] + share * (values[k] - values[k - 1])

        return Signal(value_at, tuple(sorted({start, *knots, *([] if self.end is None else [end])})))


def _force_rows(owner: str, field: str, stated: Any, count: int) -> tuple[tuple[float, ...], ...]:
    values = number_array(owner, field, stated)
    rows = np.broadcast_to(values, (count, 3)) if values.ndim == 1 and values.shape == (3,) else values
    if rows.shape != (count, 3):
        raise InputError(
            f"{owner}: {field} has the shape {values.shape}. Give three numbers, or three for each of {count} times."
        )
    return tuple(tuple(float(x) for x in row) for row in rows)


class AppliedWrench(NamedTuple):
    """An external wrench on a body over a motion, over generic scalars.

    Args:
        body: its index.
        position: point of application in its axes [m].
        force: world axes [N], series (T, 1).
        moment: about that point, world axes [Nm], series (T, 1).
    """

    body: int
    position: Sequence[Scalar] | Vec
    force: Vec
    moment: Vec


def applied_wrenches(mech: Mechanism, q: Array, t: Array, forces: Iterable[ProcessForce]) -> list[AppliedWrench]:
    """The process forces on the bodies of a machine at configurations q (T, nq) and times t."""
    pose, wrenches = place_machine(mech, column_series(q), SERIES_OPERATIONS), []
    for process_force in forces:
        body, rotation, position = mech.place_of(process_force.frame)
        series = column_series(process_force.wrench_at(t))
        force, moment = Vec(*series[:3]), Vec(*series[3:])
        if process_force.axes == "frame":
            axes_rotation = pose.world_placements[body][0]
            axes_rotation = axes_rotation if rotation is None else axes_rotation.after(rotation)
            force, moment = axes_rotation @ force, axes_rotation @ moment
        wrenches.append(AppliedWrench(body, ZERO if position is None else position, force, moment))
    return wrenches


def origin_wrenches(pose: Pose, wrenches: Iterable[AppliedWrench]) -> dict[int, tuple[Vec, Vec]]:
    """Per body the sum of external wrenches: force, and moment about its origin, in world axes."""
    sums: dict[int, tuple[Vec, Vec]] = {}
    for wrench in wrenches:
        rotation, _ = pose.world_placements[wrench.body]
        force, moment = sums.get(wrench.body, (ZERO, ZERO))
        arm = rotation @ Vec.from_values(wrench.position)
        sums[wrench.body] = (force + wrench.force, moment + wrench.moment + arm.cross(wrench.force))
    return sums


def wrenches_by_body(mech: Mechanism, q: Array, wrenches: Sequence[AppliedWrench]) -> Wrenches | None:
    """External wrenches by the names of the bodies, for `gw.inverse_dynamics`; None without any."""
    if not wrenches:
        return None
    sums = origin_wrenches(place_machine(mech, column_series(q), SERIES_OPERATIONS), wrenches)
    whole = np.zeros((len(q), 1))
    return {
        mech.carrier_name(body): np.hstack([whole + x for x in (*force, *moment)])
        for body, (force, moment) in sums.items()
    }


def process_laws(forces: Sequence[ProcessForce]) -> tuple[tuple[Wrench, ...], Mapping[str, Signal]]:
    """Laws and their inputs, for `demands` and `simulate`."""
    names = [force.name for force in forces]
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise InputError(f"task: two forces have the name {repeated[0]!r}. Give each a unique name.")
    inputs = {name: signal for force in forces for name, signal in force.input_signals().items()}
    return tuple(force.wrench_law for force in forces), inputs
