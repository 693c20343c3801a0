"""A control law of one's own as a controller."""

from __future__ import annotations

from typing import Any

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.control.references import WORDS, asked_reference, reference_of
from gearwright.errors import InputError
from gearwright.system.controllers.control_law import ControlLaw
from gearwright.system.controllers.law_controller import LawController, law_controller

CALLER = "control.controller"


@check_arguments
def controller(law: ControlLaw, reference: Any = None) -> LawController:
    """A control law as a controller: for `gw.simulate`, `gw.rollout`, as a kernel and as C.

    Args:
        law: the law; a class derived from `gw.control.ControlLaw`.
        reference: a function of time that returns the numbers of each of the law's references; where these are q_ref,
            v_ref, a_ref of the joints, a Trajectory or a configuration to hold will do. None for a law without any.

    >>> import gearwright as gw
    >>> class Damper(gw.control.ControlLaw):
    ...     mech = gw.assemble(gw.load("elbow"))
    ...     def decide(self, measured):
    ...         return gw.control.Decision([-5.0 * v for v in measured.v])
    >>> gw.control.controller(Damper()).kernel([0.0] * 3, [1.0, 2.0, -1.0])
    array([ -5., -10.,   5.])
    """
    if not isinstance(law, ControlLaw):
        raise InputError(f"{CALLER}: a {type(law).__name__} is not a ControlLaw. gw.simulate takes functions as such.")
    if not law.references:
        return law_controller(law, lambda t: np.zeros((len(t), 0)))
    names = tuple(law.references)
    if reference is None:
        raise InputError(f"{CALLER}: the law follows {', '.join(names)}. Give a reference.")
    if names == WORDS[: len(names)] and not callable(reference):
        found = reference_of(CALLER, reference, law.mech, len(names))
        return law_controller(law, found.at, found.breaks)
    sizes = [len(entries) for entries in law.references.values()]
    return law_controller(law, asked_reference(CALLER, reference, sizes, names))
