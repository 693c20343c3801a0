"""Controllers and observers, written for generic scalars: references, sampling, gains, outputs through drives."""

from gearwright.control.controllers_by_name import controller_by_name
from gearwright.control.drive_outputs import servos, with_motor_outputs
from gearwright.control.environments.batch_environment import EnvironmentOptions, EnvironmentStep, tracking_reward
from gearwright.control.environments.gym_environment import gym_environment
from gearwright.control.environments.randomisation import Randomisation
from gearwright.control.force.force_gains import ForceGains
from gearwright.control.force.known_environment import KnownEnvironment
from gearwright.control.force.position_force import hybrid_control, position_force
from gearwright.control.gains import StateGains, joint_gains, lqr, poles
from gearwright.control.in_larger_machine import in_larger_machine
from gearwright.control.joint_space.adaptive import adaptive
from gearwright.control.joint_space.cascade import cascade
from gearwright.control.joint_space.controllers import computed_torque, feedforward, pd
from gearwright.control.joint_space.feedback_linearisation import feedback_linearisation
from gearwright.control.joint_space.nominal import NominalControl, load_nominal, nominal_control
from gearwright.control.joint_space.state_feedback import state_feedback
from gearwright.control.observers import momentum_observer
from gearwright.control.reference_filter import with_reference_filter
from gearwright.control.sampling import with_sampling
from gearwright.control.state_observers.elastic_observer import elastic_observer
from gearwright.control.state_observers.speed_observer import (
    SpeedObserverBound,
    speed_observer,
    speed_observer_bound,
)
from gearwright.control.task_space.admittance import AdmittanceGains, TargetAdmittance, admittance
from gearwright.control.task_space.operational_space import impedance, operational_space
from gearwright.control.tracking_figure import tracking_plot
from gearwright.control.user_law import controller
from gearwright.system.controllers.control_law import ControlLaw, Decision, Measurement
from gearwright.system.controllers.controller import sampled_controller
from gearwright.system.controllers.law_controller import LawController, LawKernel

__all__ = [
    "AdmittanceGains",
    "ControlLaw",
    "Decision",
    "EnvironmentOptions",
    "EnvironmentStep",
    "ForceGains",
    "KnownEnvironment",
    "LawController",
    "LawKernel",
    "Measurement",
    "NominalControl",
    "Randomisation",
    "SpeedObserverBound",
    "StateGains",
    "TargetAdmittance",
    "adaptive",
    "admittance",
    "cascade",
    "computed_torque",
    "controller",
    "controller_by_name",
    "elastic_observer",
    "feedback_linearisation",
    "feedforward",
    "gym_environment",
    "hybrid_control",
    "impedance",
    "in_larger_machine",
    "joint_gains",
    "load_nominal",
    "lqr",
    "momentum_observer",
    "nominal_control",
    "operational_space",
    "pd",
    "poles",
    "position_force",
    "sampled_controller",
    "servos",
    "speed_observer",
    "speed_observer_bound",
    "state_feedback",
    "tracking_plot",
    "tracking_reward",
    "with_motor_outputs",
    "with_reference_filter",
    "with_sampling",
]
