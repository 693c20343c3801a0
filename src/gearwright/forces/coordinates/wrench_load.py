"""An external wrench at a frame: process forces, a person or a disturbance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from gearwright.algebra import ZERO, Scalar, Vec
from gearwright.argument_kinds import check_arguments
from gearwright.errors import InputError
from gearwright.forces.law import Action, Force, Law, Outcome, Quantity, Reaction, Situation
from gearwright.forces.line import Line

WRENCH_FORCES, WRENCH_MOMENTS = ("fx", "fy", "fz"), ("mx", "my", "mz")


@check_arguments
@dataclass(frozen=True)
class Wrench(Law):
    r"""A force f [N] at the origin of a frame and a moment m [Nm] as six inputs; the joint forces are $J^T (f, m)$.

    The inputs are `<name>.fx`, `.fy`, `.fz`, `.mx`, `.my`, `.mz`, in the axes of the world or of the frame itself.

    Args:
        name: its name.
        frame: a body or frame of the machine.
        axes: "world", or "frame" for a wrench that rotates with the frame.

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
            Quantity(f"{self.name}.{word}", unit)
            for words, unit in ((WRENCH_FORCES, "N"), (WRENCH_MOMENTS, "Nm"))
            for word in words
        )

    def act(self, mode: str, situation: Situation) -> Action:
        """The generalised force along every speed that moves the frame."""
        pushes = self._generalized_forces(situation)
        return Action(
            forces=tuple(Force(Line.for_machine(situation.mech, name), push) for name, push in pushes.items())
        )

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """The supplied power."""
        speeds = dict(zip(situation.mech.speeds, situation.v, strict=True))
        return Outcome(
            supplied=sum((push * speeds[name] for name, push in self._generalized_forces(situation).items()), 0.0)
        )

    def _generalized_forces(self, situation: Situation) -> dict[str, Scalar]:
        pose, mech = situation.pose, situation.mech
        body, rotation, position = mech.place_of(self.frame)
        R, _ = pose.world_placements[body]
        force, moment = Vec(*situation.inputs[:3]), Vec(*situation.inputs[3:])
        if self.axes == "frame":
            turned = R if rotation is None else R.after(rotation)
            force, moment = turned @ force, turned @ moment
        about_origin = moment + (R @ (ZERO if position is None else position)).cross(force)
        J = situation.kinematics.body_jacobian(body)
        moving = sorted({dof.speed for i in mech.body_paths[body] for dof in pose.dofs[i]})
        return {mech.speeds[k]: _virtual_work(J, k, (*force, *about_origin)) for k in moving}


def _virtual_work(J: Sequence[Sequence[Scalar]], column: int, wrench: Sequence[Scalar]) -> Scalar:
    return sum((row[column] * x for row, x in zip(J, wrench, strict=True)), 0.0)
