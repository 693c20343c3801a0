"""What a design does over a task: comparisons, energy, and later limits, sizing and optimisation."""

from gearwright.design.comparison import Comparison, compare, uncoupled_spins
from gearwright.design.energy import EnergyBalance, energy_balance

__all__ = ["Comparison", "EnergyBalance", "compare", "energy_balance", "uncoupled_spins"]
