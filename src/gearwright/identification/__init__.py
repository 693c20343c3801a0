"""Finding a robot's parameters from measurements: excite, log, identify, make consistent, write back."""

from gearwright.identification.blocks import Blocks
from gearwright.identification.columns import Column
from gearwright.identification.consistent import ConsistentFit, fit_consistent
from gearwright.identification.excitation import Box, Excitation, MotionLimits, excite
from gearwright.identification.groups import Group, parameter_groups, regressor_blocks
from gearwright.identification.identification import Identification, Validation, identify
from gearwright.identification.log import Log, log_of_currents, read_log
from gearwright.identification.model import Model
from gearwright.identification.payload import PayloadFit, identify_payload
from gearwright.identification.report import write_report
from gearwright.identification.write_back import Rewritten, identified_mechanism, identified_robot, save_identified
from gearwright.motion import FourierMotion as FourierMotion

__all__ = [
    "Blocks",
    "Box",
    "Column",
    "ConsistentFit",
    "Excitation",
    "Group",
    "Identification",
    "Log",
    "Model",
    "MotionLimits",
    "PayloadFit",
    "Rewritten",
    "Validation",
    "excite",
    "fit_consistent",
    "identified_mechanism",
    "identified_robot",
    "identify",
    "identify_payload",
    "log_of_currents",
    "parameter_groups",
    "read_log",
    "regressor_blocks",
    "save_identified",
    "write_report",
]
