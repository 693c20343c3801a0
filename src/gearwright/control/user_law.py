"""A user-defined control law as a controller."""

from __future__ import annotations

from typing import Any

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.control.references import REFERENCE_NAMES, function_reference, read_reference
from gearwright.errors import InputError
from gearwright.system import ControlLaw
from gearwright.system.controllers.law_controller import LawController, law_controller

USER_LAW_CALLER = "control.controller"


@check_arguments
def controller(law: ControlLaw, reference: Any = None) -> LawController:
    """Return a control law as a controller: for `gw.simulate`, `gw.rollout`, as a kernel and as C.

    Args:
        law: the law; a class derived from `gw.control.ControlLaw`.
        reference: a function of time that returns the values of each of the law's references; for q_ref, v_ref, a_ref
            of the joints also a Trajectory or a constant configuration. None for a law without references.

    >>> import gearwright as gw
    >>> class Damper(gw.control.ControlLaw):
    ...     mech = gw.assemble(gw.load("elbow"))
    ...     def decide(self, measured):
    ...         return gw.control.Decision([-5.0 * v for v in measured.v])
    >>> gw.control.controller(Damper()).kernel([0.0] * 3, [1.0, 2.0, -1.0])
    array([ -5., -10.,   5.])
    """
    if not isinstance(law, ControlLaw):
        raise InputError(
            f"{USER_LAW_CALLER}: a {type(law).__name__} is not a ControlLaw. Pass a function directly to gw.simulate."
        )
    if not law.references:
        return law_controller(law, lambda t: np.zeros((len(t), 0)))
    names = tuple(law.references)
    if reference is None:
        raise InputError(f"{USER_LAW_CALLER}: the law tracks {', '.join(names)}. Give a reference.")
    if names == REFERENCE_NAMES[: len(names)] and not callable(reference):
        target = read_reference(USER_LAW_CALLER, reference, law.mech, len(names))
        return law_controller(law, target.at, target.breaks)
    sizes = [len(entries) for entries in law.references.values()]
    return law_controller(law, function_reference(USER_LAW_CALLER, reference, sizes, names))
