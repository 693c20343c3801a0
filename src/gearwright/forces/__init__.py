"""Laws: what pushes, holds and loses power in a machine."""

from gearwright.forces.law import (
    ON,
    Action,
    Drag,
    Force,
    Guard,
    Hold,
    Impact,
    Law,
    Outcome,
    Quantity,
    Reaction,
    Situation,
)
from gearwright.forces.line import Line
from gearwright.forces.load import Load
from gearwright.forces.prescribed import Prescribed

__all__ = [
    "ON",
    "Action",
    "Drag",
    "Force",
    "Guard",
    "Hold",
    "Impact",
    "Law",
    "Line",
    "Load",
    "Outcome",
    "Prescribed",
    "Quantity",
    "Reaction",
    "Situation",
]
