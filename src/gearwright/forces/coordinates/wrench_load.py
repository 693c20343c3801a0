"""A force and a moment from outside at a frame: what a process, a person or a disturbance does to a robot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from gearwright.algebra import ZERO, Scalar, Vec
from gearwright.errors import InputError
from gearwright.forces.law import Action, Force, Law, Outcome, Quantity, Reaction, Situation
from gearwright.forces.line import Line

FORCES, MOMENTS = ("fx", "fy", "fz"), ("mx", "my", "mz")


@dataclass(frozen=True)
class Wrench(Law):
    r"""A force f [N] at the origin of a frame and a moment m [Nm], given as six inputs: the joints feel $J^T (f, m)$.

    The inputs are `<name>.fx`, `.fy`, `.fz`, `.mx`, `.my`, `.mz`, in the axes of the world or of the frame itself.

    Args:
        name: its name.
        frame: a body or frame of the machine.
        axes: "world", or "frame" for a force that turns with it.

    >>> import gearwright as gw
    >>> push = Wrench("push", "link3")
    >>> run = gw.simulate(gw.load("elbow"), until=0.01, extra_laws=[push], inputs={"push.fz": 5.0}, samples=2)
    >>> [one.name for one in push.inputs][:3]
    ['push.fx', 'push.fy', 'push.fz']
    """

    name: str
    frame: str
    axes: Literal["world", "frame"] = "world"

    def __post_init__(self) -> None:
        if self.axes not in ("world", "frame"):
            raise InputError(f"{self.name}: axes {self.axes!r} is unknown. Use 'world' or 'frame'.")

    @property
    def inputs(self) -> tuple[Quantity, ...]:
        """Three forces and three moments."""
        return tuple(
            Quantity(f"{self.name}.{word}", unit) for words, unit in ((FORCES, "N"), (MOMENTS, "Nm")) for word in words
        )

    def act(self, mode: str, situation: Situation) -> Action:
        """The generalized force along every speed that moves the frame."""
        pushes = self._pushes(situation)
        return Action(forces=tuple(Force(Line.of(situation.mech, name), push) for name, push in pushes.items()))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """The power it brings."""
        speeds = dict(zip(situation.mech.speeds, situation.v, strict=True))
        return Outcome(supplied=sum((push * speeds[name] for name, push in self._pushes(situation).items()), 0.0))

    def _pushes(self, situation: Situation) -> dict[str, Scalar]:
        pose, mech = situation.pose, situation.mech
        body, rotation, position = mech.place_of(self.frame)
        R, _ = pose.world[body]
        force, moment = Vec(*situation.inputs[:3]), Vec(*situation.inputs[3:])
        if self.axes == "frame":
            turned = R if rotation is None else R.after(rotation)
            force, moment = turned @ force, turned @ moment
        about_origin = moment + (R @ (ZERO if position is None else position)).cross(force)
        J = situation.scene.jacobian(body)
        moving = sorted({dof.speed for i in mech.paths[body] for dof in pose.dofs[i]})
        return {mech.speeds[k]: _along(J, k, (*force, *about_origin)) for k in moving}


def _along(J: Sequence[Sequence[Scalar]], column: int, wrench: Sequence[Scalar]) -> Scalar:
    return sum((row[column] * x for row, x in zip(J, wrench, strict=True)), 0.0)
