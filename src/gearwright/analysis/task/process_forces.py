"""Forces that a process does to a robot over one cycle: grinding, pressing, a cable that pulls."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from gearwright.algebra import ZERO, Scalar, Vec
from gearwright.analysis.parametric_series import OF_SERIES, columns
from gearwright.arguments import increasing, number, numbers
from gearwright.arrays import Array
from gearwright.dynamics.pose import Pose, place
from gearwright.errors import InputError
from gearwright.forces.coordinates.wrench_load import Wrench
from gearwright.functions.dynamics import Wrenches
from gearwright.mechanism import Mechanism
from gearwright.system.inputs import Signal

Rows = Sequence[float] | Sequence[Sequence[float]]


@dataclass(frozen=True)
class ProcessForce:
    """A force and moment at the origin of a frame, acting on the robot.

    Args:
        frame: a frame or link of the robot.
        force: [N], three numbers, or three for each of `times`.
        moment: [Nm], in the same form.
        times: rising times [s] from `start`; between two the force is interpolated. None: it is constant.
        axes: "world", or "frame" for a force that turns with the frame.
        start: when it begins in the cycle [s].
        end: when it ends; with the cycle unless given.
        name: of the force.

    >>> press = ProcessForce("tool", [[0, 0, 0], [0, 0, 80]], times=[0.0, 0.5], start=1.0, end=2.0)
    >>> press.at(np.array([0.9, 1.25, 1.9, 2.0]))[:, 2].tolist()
    [0.0, 40.0, 80.0, 0.0]
    """

    frame: str
    force: Rows = (0.0, 0.0, 0.0)
    moment: Rows = (0.0, 0.0, 0.0)
    times: Sequence[float] | None = None
    axes: Literal["world", "frame"] = "world"
    start: float = 0.0
    end: float | None = None
    name: str = "process"

    def __post_init__(self) -> None:
        owner = f"force {self.name!r}"
        times = (0.0,) if self.times is None else tuple(increasing(owner, "times", self.times, least=1).tolist())
        for word in ("force", "moment"):
            object.__setattr__(self, word, _rows(owner, word, getattr(self, word), len(times)))
        if self.times is not None:
            object.__setattr__(self, "times", times)
        number(owner, "start", self.start, least=0.0, unit="seconds", example=0.5)
        if self.end is not None:
            number(owner, "end", self.end, above=self.start, unit="seconds", example=self.start + 1.0)
        self.law  # noqa: B018 - its own rules for axes speak here

    @property
    def law(self) -> Wrench:
        """What acts on the machine."""
        return Wrench(self.name, self.frame, self.axes)

    def at(self, t: Array) -> Array:
        """Force and moment at times of the cycle, in the force's own axes, (T, 6)."""
        since = np.asarray(t, dtype=np.float64) - self.start
        acting = since >= 0 if self.end is None else (since >= 0) & (since < self.end - self.start)
        knots = [0.0] if self.times is None else list(self.times)
        columns = (np.interp(since, knots, column) for column in np.hstack([self.force, self.moment]).T)
        return np.asarray(np.stack(list(columns), axis=-1) * acting[..., None])

    def signals(self) -> dict[str, Signal]:
        """The inputs of its law."""
        return {one.name: self._signal(k) for k, one in enumerate(self.law.inputs)}

    def _signal(self, component: int) -> Signal:
        """One component over time; a run asks thousands of times for one number, so that it is plain ones."""
        values = np.hstack([self.force, self.moment])[:, component].tolist()
        knots = [self.start + t for t in self.times or (0.0,)]
        start, end = self.start, float("inf") if self.end is None else self.end
        if not any(values):
            return Signal(lambda _: 0.0, constant=True)

        def at(now: float) -> float:
            if not start <= now < end:
                return 0.0
            k = bisect_right(knots, now)
            if k in (0, len(knots)):
                return values[min(k, len(knots) - 1)]
            share = (now - knots[k - 1]) / (knots[k] - knots[k - 1])
            return values[k - 1] + share * (values[k] - values[k - 1])

        return Signal(at, tuple(sorted({start, *knots, *([] if self.end is None else [end])})))


def _rows(owner: str, word: str, given: Any, count: int) -> tuple[tuple[float, ...], ...]:
    found = numbers(owner, word, given)
    rows = np.broadcast_to(found, (count, 3)) if found.ndim == 1 and found.shape == (3,) else found
    if rows.shape != (count, 3):
        raise InputError(
            f"{owner}: {word} has the shape {found.shape}. Give three numbers, or three for each of {count} times."
        )
    return tuple(tuple(float(x) for x in row) for row in rows)


class AppliedWrench(NamedTuple):
    """What acts on a body over a motion, over scalars of any kind.

    Args:
        body: its index.
        position: where, in its axes [m].
        force: world axes [N], series (T, 1).
        moment: about that place, world axes [Nm], series (T, 1).
    """

    body: int
    position: Sequence[Scalar] | Vec
    force: Vec
    moment: Vec


def applied(mech: Mechanism, q: Array, t: Array, forces: Iterable[ProcessForce]) -> list[AppliedWrench]:
    """The forces of a process on the bodies of a machine that goes through q (T, nq) at times t."""
    pose, found = place(mech, columns(q), OF_SERIES), []
    for one in forces:
        body, rotation, position = mech.place_of(one.frame)
        series = columns(one.at(t))
        force, moment = Vec(*series[:3]), Vec(*series[3:])
        if one.axes == "frame":
            turned = pose.world[body][0]
            turned = turned if rotation is None else turned.after(rotation)
            force, moment = turned @ force, turned @ moment
        found.append(AppliedWrench(body, ZERO if position is None else position, force, moment))
    return found


def origin_wrenches(pose: Pose, acting: Iterable[AppliedWrench]) -> dict[int, tuple[Vec, Vec]]:
    """Per body the sum of what acts on it: force, and moment about its origin, in world axes."""
    found: dict[int, tuple[Vec, Vec]] = {}
    for one in acting:
        turned, _ = pose.world[one.body]
        force, moment = found.get(one.body, (ZERO, ZERO))
        arm = turned @ Vec.of(one.position)
        found[one.body] = (force + one.force, moment + one.moment + arm.cross(one.force))
    return found


def about_origins(mech: Mechanism, q: Array, acting: Sequence[AppliedWrench]) -> Wrenches | None:
    """The same by the names of the bodies, as `gw.inverse_dynamics` takes them; None if there are none."""
    if not acting:
        return None
    found = origin_wrenches(place(mech, columns(q), OF_SERIES), acting)
    whole = np.zeros((len(q), 1))
    return {
        mech.carrier_name(body): np.hstack([whole + x for x in (*force, *moment)])
        for body, (force, moment) in found.items()
    }


def loads_of(forces: Sequence[ProcessForce]) -> tuple[tuple[Wrench, ...], Mapping[str, Signal]]:
    """Laws and their inputs, as `demands` and `simulate` take them."""
    names = [force.name for force in forces]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InputError(f"task: two forces are called {twice[0]!r}. Give each a name of its own.")
    inputs = {name: signal for force in forces for name, signal in force.signals().items()}
    return tuple(force.law for force in forces), inputs
