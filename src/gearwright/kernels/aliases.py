"""The same functions under the names that people coming from elsewhere look for."""

from gearwright.kernels.functions import bias as nle
from gearwright.kernels.functions import forward_dynamics as aba
from gearwright.kernels.functions import inverse_dynamics as rnea
from gearwright.kernels.functions import mass_matrix as crba

__all__ = ["aba", "crba", "nle", "rnea"]
