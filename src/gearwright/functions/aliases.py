"""Names of other libraries: the best known call the functions here, others are answered with the name here.

| elsewhere | here |
|---|---|
| `rnea` | `inverse_dynamics` |
| `crba` | `mass_matrix` |
| `aba` | `forward_dynamics` |
| `nle` | `bias` |
| `forward_kinematics` | `placement` |
"""

from collections.abc import Callable, Sequence
from typing import Any

from gearwright.functions.dynamics import bias as nle
from gearwright.functions.dynamics import forward_dynamics as aba
from gearwright.functions.dynamics import inverse_dynamics as rnea
from gearwright.functions.dynamics import mass_matrix as crba
from gearwright.functions.dynamics import placement as forward_kinematics

__all__ = ["aba", "crba", "forward_kinematics", "nle", "rnea"]

ALIASES: dict[str, Callable[..., Any]] = {
    "aba": aba,
    "crba": crba,
    "forward_kinematics": forward_kinematics,
    "nle": nle,
    "rnea": rnea,
}

NAMES_HERE = {
    "center_of_mass": "centre_of_mass",
    "com": "centre_of_mass",
    "coriolis": "coriolis_matrix",
    "dynamics": "forward_dynamics",
    "fk": "placement",
    "forwardDynamics": "forward_dynamics",
    "forwardKinematics": "placement",
    "gravity_vector": "gravity",
    "ik": "inverse_kinematics",
    "inertia_matrix": "mass_matrix",
    "inverseDynamics": "inverse_dynamics",
    "inverseKinematics": "inverse_kinematics",
    "jacobian_dot": "jacobian_rate",
    "linearize": "linearise",
    "loadModel": "load",
    "load_model": "load",
    "massMatrix": "mass_matrix",
    "nonlinear_effects": "bias",
    "read": "load",
    "step": "simulate",
}
"""Names that other libraries use, and the function here."""


def function_by_alias(name: str, namespaces: Sequence[str] = ()) -> Callable[..., Any]:
    """Return the function that other libraries call `name`.

    Args:
        name: a name that is not public in `gearwright` itself.
        namespaces: the full names under which namespaces of `gearwright` export it.

    >>> import gearwright as gw
    >>> gw.rnea is gw.inverse_dynamics
    True

    Raises:
        AttributeError: it is not such a name; the message gives the name here where there is one.
    """
    if name in ALIASES:
        return ALIASES[name]
    names_here = [f"gearwright.{NAMES_HERE[name]}"] if name in NAMES_HERE else namespaces
    remedy = f" Use {' or '.join(names_here)}." if names_here else ""
    raise AttributeError(f"module 'gearwright' has no attribute {name!r}.{remedy}")
