"""A controller of a robot in a larger machine: the robot with a wall, an object, another robot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gearwright.algebra import Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.control.wrapped_law import WrappedLaw
from gearwright.errors import InputError
from gearwright.mechanism import RobotOrMech, tree_of
from gearwright.system.controllers.control_law import ControlLaw, Decision, Measurement, checked_decision
from gearwright.system.controllers.law_controller import LawController, ReferenceFunction, law_controller
from gearwright.text import listed_names

IN_LARGER_MACHINE_CALLER = "control.in_larger_machine"


@dataclass(frozen=True)
class EmbeddedLaw(WrappedLaw):
    """A law that measures and drives a part of a machine.

    Args:
        mech: the larger machine.
        inner: the law.
        q: indices of the coordinates of the law's machine.
        v: indices of its speeds.
    """

    q: tuple[int, ...] = ()
    v: tuple[int, ...] = ()

    @property
    def period(self) -> float | None:
        """Sampling period of the law [s], if it is sampled."""
        return self.inner.period

    def decide(self, measured: Measurement) -> Decision:
        """Return the law's outputs for its part."""
        part = replace(
            measured,
            q=_select_entries(self.q, measured.q),
            v=_select_entries(self.v, measured.v),
            model=self.inner.model,
        )
        return checked_decision(self.inner, part)


def joint_controller(law: ControlLaw, follow: ReferenceFunction, breaks: tuple[float, ...] = ()) -> LawController:
    """Return the controller of a law; in independent speeds of closed loops it measures and drives the open tree."""
    mech = law.mech
    if mech.closure is None:
        return law_controller(law, follow, breaks)
    whole = EmbeddedLaw(mech.tree, law, tuple(range(mech.nq)), tuple(mech.closure.independent))
    return law_controller(whole, follow, breaks)


def independent_law(law: ControlLaw) -> ControlLaw:
    """Return the law of the independent speeds of closed loops inside a law of `joint_controller`; others unchanged."""
    return law.inner if isinstance(law, EmbeddedLaw) and law.inner.mech.closure is not None else law


def _select_entries(indices: Sequence[int], x: Sequence[Scalar]) -> list[Scalar]:
    return [x[k] for k in indices]


@check_arguments
def in_larger_machine(controller: LawController, machine: RobotOrMech) -> LawController:
    """Return a robot's controller for a larger machine that contains the robot's joints by the same names.

    Args:
        controller: a controller of `gw.control`.
        machine: the larger machine or robot, such as the robot `with_wall`.

    >>> import gearwright as gw
    >>> from gearwright.contact import Plane, with_wall
    >>> arm = gw.load("elbow")
    >>> more = with_wall(arm, "wall", Plane((0.6, 0, 0), (-1, 0, 0)), mass=2.0, stiffness=1e4)
    >>> control = gw.control.in_larger_machine(gw.control.pd(arm, [0, 0, 0], 5000, 500), more)
    >>> control.law.outputs, len(control.law.mech.speeds)
    (('tau.j1', 'tau.j2', 'tau.j3'), 4)
    """
    if not isinstance(controller, LawController):
        raise InputError(
            f"{IN_LARGER_MACHINE_CALLER}: a {type(controller).__name__} is not a controller of gw.control. Give one."
        )
    mech, law = tree_of(IN_LARGER_MACHINE_CALLER, machine), controller.law
    missing = [name for name in law.mech.coordinates if name not in mech.coordinates]
    missing += [name for name in law.mech.speeds if name not in mech.speeds]
    if missing:
        raise InputError(
            f"{IN_LARGER_MACHINE_CALLER}: the machine has no {listed_names(dict.fromkeys(missing))}, which the "
            "controller needs. Give a "
            "machine that contains the robot."
        )
    q = tuple(mech.coordinates.index(name) for name in law.mech.coordinates)
    v = tuple(mech.speeds.index(name) for name in law.mech.speeds)
    return law_controller(EmbeddedLaw(mech, law, q, v), controller.follow, controller.breaks)
