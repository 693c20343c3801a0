"""A controller of a robot in a larger machine: the robot with a wall, an object, another robot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gearwright.algebra import Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.control.wrapped_law import Wrapped
from gearwright.errors import InputError
from gearwright.mechanism import RobotOrMech, machine_of
from gearwright.system.controllers.control_law import Decision, Measurement, decided
from gearwright.system.controllers.law_controller import LawController, law_controller
from gearwright.text import listed

CALLER = "control.within"


@dataclass(frozen=True)
class Within(Wrapped):
    """A law that sees and drives a part of a machine.

    Args:
        mech: the larger machine.
        inner: the law.
        q: where the coordinates of the law's machine are.
        v: where its speeds are.
    """

    q: tuple[int, ...] = ()
    v: tuple[int, ...] = ()

    @property
    def period(self) -> float | None:
        """That of the law."""
        return self.inner.period

    def decide(self, measured: Measurement) -> Decision:
        """The law's decision on its part."""
        own = replace(measured, q=_of(self.q, measured.q), v=_of(self.v, measured.v), model=self.inner.model)
        return decided(self.inner, own)


def _of(places: Sequence[int], x: Sequence[Scalar]) -> list[Scalar]:
    return [x[k] for k in places]


@check_arguments
def within(controller: LawController, machine: RobotOrMech) -> LawController:
    """A controller that was made for a robot, in a machine that contains the robot's joints by the same names.

    Args:
        controller: a controller of `gw.control`.
        machine: the larger machine or robot, such as the robot `with_wall`.

    >>> import gearwright as gw
    >>> from gearwright.contact import Plane, with_wall
    >>> arm = gw.load("elbow")
    >>> more = with_wall(arm, "wall", Plane((0.6, 0, 0), (-1, 0, 0)), mass=2.0, stiffness=1e4)
    >>> control = gw.control.within(gw.control.pd(arm, [0, 0, 0], 5000, 500), more)
    >>> control.law.outputs, len(control.law.mech.speeds)
    (('tau.j1', 'tau.j2', 'tau.j3'), 4)
    """
    if not isinstance(controller, LawController):
        raise InputError(f"{CALLER}: a {type(controller).__name__} is not a controller of gw.control. Give one.")
    mech, law = machine_of(CALLER, machine), controller.law
    missing = [name for name in law.mech.coordinates if name not in mech.coordinates]
    missing += [name for name in law.mech.speeds if name not in mech.speeds]
    if missing:
        raise InputError(
            f"{CALLER}: the machine has no {listed(dict.fromkeys(missing))}, for which the controller was made. Give a "
            "machine that contains the robot."
        )
    q = tuple(mech.coordinates.index(name) for name in law.mech.coordinates)
    v = tuple(mech.speeds.index(name) for name in law.mech.speeds)
    return law_controller(Within(mech, law, q, v), controller.follow, controller.breaks)
