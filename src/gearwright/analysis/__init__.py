"""What a machine does: comparison of models, energy, vibration, frequency response."""

from gearwright.analysis.comparison import Comparison, Miss, compare, uncoupled_spins
from gearwright.analysis.energy import EnergyBalance, energy_balance
from gearwright.analysis.frequency_map import FrequencyMap, frequency_map
from gearwright.analysis.frequency_response import FrequencyResponse, frequency_response
from gearwright.analysis.impact_comparison import ImpactFigures, compare_impacts
from gearwright.analysis.reductions import ReductionComparison, ReductionMiss, compare_reductions
from gearwright.analysis.vibration import VibrationModes, natural_frequencies, vibration_modes
from gearwright.simulation.rollout_stability import FastestMode, fastest_mode

__all__ = [
    "Comparison",
    "EnergyBalance",
    "FastestMode",
    "FrequencyMap",
    "FrequencyResponse",
    "ImpactFigures",
    "Miss",
    "ReductionComparison",
    "ReductionMiss",
    "VibrationModes",
    "compare",
    "compare_impacts",
    "compare_reductions",
    "energy_balance",
    "fastest_mode",
    "frequency_map",
    "frequency_response",
    "natural_frequencies",
    "uncoupled_spins",
    "vibration_modes",
]
