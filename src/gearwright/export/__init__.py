"""Export to other programs: C for controllers, FMUs, state spaces, CasADi and PyTorch functions, MJCF and URDF."""

from gearwright.export.c_code.c_functions import CFunction
from gearwright.export.c_code.c_package import c
from gearwright.export.casadi_rates import CasadiRates
from gearwright.export.fmi.fmu import FmuReport, fmu
from gearwright.export.handover.card_texts import CardText, card_text
from gearwright.export.handover.errors_of_model import JointErrors
from gearwright.export.handover.passport import Passport, passport
from gearwright.export.handover.projection import JointProjection
from gearwright.export.handover.real_time import RealTimeReport, real_time_check
from gearwright.export.mujoco.mjcf import MjcfReport, mjcf
from gearwright.export.mujoco.mujoco_check import MujocoCheck, mujoco_check
from gearwright.export.state_space import StateSpace, state_space
from gearwright.export.targets import TARGETS, export
from gearwright.export.urdf.urdf import save, write_urdf
from gearwright.files import (
    ActuatorCard,
    actuator_card,
    bundled_cards,
    card_of_drive,
    drive_of_card,
    published_parameters,
    read_card,
)

__all__ = [
    "TARGETS",
    "ActuatorCard",
    "CFunction",
    "CardText",
    "CasadiRates",
    "FmuReport",
    "JointErrors",
    "JointProjection",
    "MjcfReport",
    "MujocoCheck",
    "Passport",
    "RealTimeReport",
    "StateSpace",
    "actuator_card",
    "bundled_cards",
    "c",
    "card_of_drive",
    "card_text",
    "drive_of_card",
    "export",
    "fmu",
    "mjcf",
    "mujoco_check",
    "passport",
    "published_parameters",
    "read_card",
    "real_time_check",
    "save",
    "state_space",
    "write_urdf",
]
