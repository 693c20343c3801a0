"""Identification of a robot's parameters from measurements: excitation, logs, fit, physical consistency, write-back."""

from gearwright.identification.experiment.clocks import SignalDelay, signal_delay
from gearwright.identification.experiment.excitation import (
    Excitation,
    ExcitationOptions,
    MotionLimits,
    WorkspaceBox,
    excite,
)
from gearwright.identification.experiment.gear_benches import LostMotion, TorsionLoop, lost_motion, torsion_loop
from gearwright.identification.experiment.log import Log, log_of_currents, log_of_motors, read_log
from gearwright.identification.gear_loss_fit import GearLossFit, fit_gear_losses
from gearwright.identification.identification import FrictionTransition, Identification, Validation, identify
from gearwright.identification.model.columns import FrictionLine, ParameterColumn
from gearwright.identification.model.joint_groups import ParameterGroup, parameter_groups, regressor_blocks
from gearwright.identification.model.sample_blocks import SampleBlocks
from gearwright.identification.model.torque_model import TorqueModel
from gearwright.identification.payload_identification import PayloadFit, identify_payload
from gearwright.identification.physical_consistency import ConsistentFit, fit_consistent
from gearwright.identification.report import write_report
from gearwright.identification.run_fit.fit_problem import Unknown
from gearwright.identification.run_fit.fit_run import RunFitOptions, fit_run
from gearwright.identification.run_fit.run_excitation import RunExcitation, RunExcitationOptions, excite_run
from gearwright.identification.run_fit.run_fit_result import RunFit, SignalScore
from gearwright.identification.run_fit.run_log import RunLog, read_run_log
from gearwright.identification.write_back import UpdatedRobot, identified_mechanism, identified_robot, save_identified
from gearwright.motion import FourierMotion as FourierMotion

__all__ = [
    "ConsistentFit",
    "Excitation",
    "ExcitationOptions",
    "FrictionLine",
    "FrictionTransition",
    "GearLossFit",
    "Identification",
    "Log",
    "LostMotion",
    "MotionLimits",
    "ParameterColumn",
    "ParameterGroup",
    "PayloadFit",
    "RunExcitation",
    "RunExcitationOptions",
    "RunFit",
    "RunFitOptions",
    "RunLog",
    "SampleBlocks",
    "SignalDelay",
    "SignalScore",
    "TorqueModel",
    "TorsionLoop",
    "Unknown",
    "UpdatedRobot",
    "Validation",
    "WorkspaceBox",
    "excite",
    "excite_run",
    "fit_consistent",
    "fit_gear_losses",
    "fit_run",
    "identified_mechanism",
    "identified_robot",
    "identify",
    "identify_payload",
    "log_of_currents",
    "log_of_motors",
    "lost_motion",
    "parameter_groups",
    "read_log",
    "read_run_log",
    "regressor_blocks",
    "save_identified",
    "signal_delay",
    "torsion_loop",
    "write_report",
]
