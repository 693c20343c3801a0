"""The same functions under the names that people coming from elsewhere look for."""

from gearwright.functions.functions import bias as nle
from gearwright.functions.functions import forward_dynamics as aba
from gearwright.functions.functions import inverse_dynamics as rnea
from gearwright.functions.functions import mass_matrix as crba

__all__ = ["aba", "crba", "nle", "rnea"]
