"""The books of laws: along what they push, and the power of what moves their lines by themselves."""

from __future__ import annotations

from dataclasses import replace

from gearwright.algebra import Scalar, is_zero
from gearwright.forces.law import Action, Outcome, Reaction
from gearwright.forces.line import Line


def booked(outcome: Outcome, action: Action, reaction: Reaction) -> Outcome:
    """An outcome with the power of what moves lines by themselves.

    A law books f ds/dt along its line, of which the machine gets f (row . v): the rest, f times the rate that explicit
    time adds, is taken up by what moves the frame, whose power is supplied from outside.
    """
    taken: Scalar = 0.0
    for line, force in forces_on_lines(action, reaction):
        if not is_zero(line.rate):
            taken = taken + force * line.rate
    return outcome if is_zero(taken) else replace(outcome, supplied=outcome.supplied - taken)


def forces_on_lines(action: Action, reaction: Reaction) -> list[tuple[Line, Scalar]]:
    """The lines along which a law acts, and its forces there."""
    held = zip(action.holds, reaction.multipliers, strict=True)
    dragged = zip(action.drags, reaction.flows, strict=True)
    return [
        *((force.line, force.value) for force in action.forces),
        *((hold.line, force) for hold, force in held),
        *((drag.push, drag.gain * flow) for drag, flow in dragged),
    ]
