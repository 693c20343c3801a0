"""Finding a robot's parameters from measurements."""

from gearwright.identification.identification import Identification, Validation, identify
from gearwright.identification.log import Log, log_of_currents, read_log
from gearwright.identification.model import Model

__all__ = ["Identification", "Log", "Model", "Validation", "identify", "log_of_currents", "read_log"]
