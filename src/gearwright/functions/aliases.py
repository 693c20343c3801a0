"""The same functions under the names that people coming from elsewhere look for."""

from gearwright.functions.dynamics import bias as nle
from gearwright.functions.dynamics import forward_dynamics as aba
from gearwright.functions.dynamics import inverse_dynamics as rnea
from gearwright.functions.dynamics import mass_matrix as crba

__all__ = ["aba", "crba", "nle", "rnea"]
