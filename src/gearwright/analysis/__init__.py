"""What a machine does: comparison of models, energy, vibration, frequency response; what a task asks of its drives."""

from gearwright.analysis.analyse import Analysis, analyse
from gearwright.analysis.closed_loop import PerturbedAnalysis
from gearwright.analysis.comparison import Comparison, Miss, compare, uncoupled_spins
from gearwright.analysis.drive_analysis import DriveAnalysis
from gearwright.analysis.energy import EnergyBalance, energy_balance
from gearwright.analysis.frequency_map import FrequencyMap, frequency_map
from gearwright.analysis.frequency_response import FrequencyResponse, frequency_response
from gearwright.analysis.impact_comparison import ImpactComparison, ImpactFigures, compare_impacts
from gearwright.analysis.limit_checks import LimitCheck, by_tightness
from gearwright.analysis.link_analysis import LinkAnalysis
from gearwright.analysis.link_loads import LinkLoads, link_loads
from gearwright.analysis.parameter_comparison import ParameterComparison, parameter_comparison
from gearwright.analysis.perturbation import Perturbation
from gearwright.analysis.process_forces import ProcessForce
from gearwright.analysis.reductions import ReductionComparison, ReductionMiss, compare_reductions
from gearwright.analysis.sensitivities import Sensitivities, sensitivities
from gearwright.analysis.steady_heat import Temperatures, steady_temperatures
from gearwright.analysis.stretches import Stretch
from gearwright.analysis.task import Task
from gearwright.analysis.tip import TipDeflection
from gearwright.analysis.unchecked_limits import Unchecked
from gearwright.analysis.verdict import Verdict
from gearwright.analysis.vibration import VibrationModes, natural_frequencies, vibration_modes
from gearwright.functions.constrained import ConstrainedResult, ImpactResult
from gearwright.functions.linearise import LinearModel
from gearwright.programs.placement import Placement
from gearwright.simulation.rollout import Rollout
from gearwright.simulation.rollout_stability import FastestMode, fastest_mode

__all__ = [
    "Analysis",
    "Comparison",
    "ConstrainedResult",
    "DriveAnalysis",
    "EnergyBalance",
    "FastestMode",
    "FrequencyMap",
    "FrequencyResponse",
    "ImpactComparison",
    "ImpactFigures",
    "ImpactResult",
    "LimitCheck",
    "LinearModel",
    "LinkAnalysis",
    "LinkLoads",
    "Miss",
    "ParameterComparison",
    "Perturbation",
    "PerturbedAnalysis",
    "Placement",
    "ProcessForce",
    "ReductionComparison",
    "ReductionMiss",
    "Rollout",
    "Sensitivities",
    "Stretch",
    "Task",
    "Temperatures",
    "TipDeflection",
    "Unchecked",
    "Verdict",
    "VibrationModes",
    "analyse",
    "by_tightness",
    "compare",
    "compare_impacts",
    "compare_reductions",
    "energy_balance",
    "fastest_mode",
    "frequency_map",
    "frequency_response",
    "link_loads",
    "natural_frequencies",
    "parameter_comparison",
    "sensitivities",
    "steady_temperatures",
    "uncoupled_spins",
    "vibration_modes",
]
