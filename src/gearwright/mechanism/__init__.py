"""The flat machine of bodies, spins, shafts, springs and actuators, its assembly from parts, and approximations."""

from gearwright.mechanism.approximation import approximate
from gearwright.mechanism.assembly.assemble import assemble_tree, gear_graph
from gearwright.mechanism.assembly.canonical_trains import canonical_trains
from gearwright.mechanism.assembly.tree_of import RobotOrMech, tree_of
from gearwright.mechanism.elements import BASE, Actuator, Body, BodyFrame, PerBody, Rest, Spin, Spring
from gearwright.mechanism.gear_graphs.graph import GearGraph
from gearwright.mechanism.gear_graphs.pairs import GearPair, TurningPair
from gearwright.mechanism.mechanism import Mechanism
from gearwright.mechanism.plausibility import implausible_numbers

__all__ = [
    "BASE",
    "Actuator",
    "Body",
    "BodyFrame",
    "GearGraph",
    "GearPair",
    "Mechanism",
    "PerBody",
    "Rest",
    "RobotOrMech",
    "Spin",
    "Spring",
    "TurningPair",
    "approximate",
    "assemble_tree",
    "canonical_trains",
    "gear_graph",
    "implausible_numbers",
    "tree_of",
]
