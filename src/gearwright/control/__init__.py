"""Controllers and observers, written over scalars of any kind: references, sampling, gains, outputs through drives."""

from gearwright.control.controllers_by_name import by_name
from gearwright.control.drive_outputs import servos, through_drives
from gearwright.control.force.known_environment import KnownEnvironment
from gearwright.control.force.position_force import hybrid, position_force
from gearwright.control.gains import StateGains, joint_gains, lqr, poles
from gearwright.control.in_larger_machine import within
from gearwright.control.joint_space.adaptive import adaptive
from gearwright.control.joint_space.cascade import cascade
from gearwright.control.joint_space.controllers import computed_torque, feedforward, pd
from gearwright.control.joint_space.feedback_linearisation import feedback_linearisation
from gearwright.control.joint_space.nominal import NominalControl, nominal, recall
from gearwright.control.joint_space.state_feedback import state_feedback
from gearwright.control.observers import elastic_observer, momentum_observer
from gearwright.control.reference_filter import filtered
from gearwright.control.sampling import sampled
from gearwright.control.task_space.admittance import admittance
from gearwright.control.task_space.operational_space import impedance, operational_space
from gearwright.control.tracking_figure import tracking_plot
from gearwright.control.user_law import controller
from gearwright.system.controllers.control_law import ControlLaw, Decision, Measurement
from gearwright.system.controllers.controller import sampled_controller
from gearwright.system.controllers.law_controller import LawController, LawKernel

__all__ = [
    "ControlLaw",
    "Decision",
    "KnownEnvironment",
    "LawController",
    "LawKernel",
    "Measurement",
    "NominalControl",
    "StateGains",
    "adaptive",
    "admittance",
    "by_name",
    "cascade",
    "computed_torque",
    "controller",
    "elastic_observer",
    "feedback_linearisation",
    "feedforward",
    "filtered",
    "hybrid",
    "impedance",
    "joint_gains",
    "lqr",
    "momentum_observer",
    "nominal",
    "operational_space",
    "pd",
    "poles",
    "position_force",
    "recall",
    "sampled",
    "sampled_controller",
    "servos",
    "state_feedback",
    "through_drives",
    "tracking_plot",
    "within",
]
