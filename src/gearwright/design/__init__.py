"""What a design does over a task: comparisons, energy, and later limits, sizing and optimisation."""

from gearwright.design.comparison import Comparison, compare, uncoupled_spins
from gearwright.design.energy import EnergyBalance, energy_balance
from gearwright.design.frequency_map import FrequencyMap, frequency_map
from gearwright.design.frequency_response import FrequencyResponse, frequency_response
from gearwright.design.inputs_for_motion import inputs_for_motion
from gearwright.design.motion_inputs import MotionInputs
from gearwright.design.reductions import ReductionComparison, compare_reductions
from gearwright.design.vibration import Modes, modes, natural_frequencies

__all__ = [
    "Comparison",
    "EnergyBalance",
    "FrequencyMap",
    "FrequencyResponse",
    "Modes",
    "MotionInputs",
    "ReductionComparison",
    "compare",
    "compare_reductions",
    "energy_balance",
    "frequency_map",
    "frequency_response",
    "inputs_for_motion",
    "modes",
    "natural_frequencies",
    "uncoupled_spins",
]
