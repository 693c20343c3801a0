"""The flat machine of bodies, spins, shafts, springs and actuators, its assembly from parts, and approximations."""

from gearwright.mechanism.approximation import APPROXIMATIONS
from gearwright.mechanism.assembly.assemble import assemble_tree, gear_graph
from gearwright.mechanism.assembly.canonical_trains import canonical_trains
from gearwright.mechanism.assembly.tree_of import RobotOrMech, tree_of
from gearwright.mechanism.elements import BASE, Actuator, Body, BodyFrame, PerBody, Rest, Spin, Spring
from gearwright.mechanism.gear_graphs.graph import GearGraph
from gearwright.mechanism.gear_graphs.pairs import GearPair, TurningPair
from gearwright.mechanism.joints.kinds import joint_kind
from gearwright.mechanism.mechanism import Mechanism
from gearwright.mechanism.plausibility import implausible_numbers
from gearwright.mechanism.rows import NamedRow, Row, Terms, as_number, dense_row, full_row, nonzero_terms, row_dot

__all__ = [
    "APPROXIMATIONS",
    "BASE",
    "Actuator",
    "Body",
    "BodyFrame",
    "GearGraph",
    "GearPair",
    "Mechanism",
    "NamedRow",
    "PerBody",
    "Rest",
    "RobotOrMech",
    "Row",
    "Spin",
    "Spring",
    "Terms",
    "TurningPair",
    "as_number",
    "assemble_tree",
    "canonical_trains",
    "dense_row",
    "full_row",
    "gear_graph",
    "implausible_numbers",
    "joint_kind",
    "nonzero_terms",
    "row_dot",
    "tree_of",
]
