"""Base parameters: the combinations of parameters on which the dynamics depends."""

from __future__ import annotations

from collections.abc import Iterable

from gearwright.algebra import Scalar, is_number
from gearwright.argument_kinds import check_arguments
from gearwright.equations.base_parameters_exact import exact_base_parameters
from gearwright.equations.base_parameters_numeric import BaseParameters, numeric_base_parameters
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism, RobotOrMech
from gearwright.programs import machine_of

__all__ = ["BaseParameters", "base_parameters"]


@check_arguments
def base_parameters(
    mech: RobotOrMech, without: Iterable[str] = (), *, exact: bool = False, seed: int = 0
) -> BaseParameters:
    """Return the base parameters of a machine: tau = Y pi = Y_b pi_b with linearly independent columns Y_b.

    The regressor is stacked over random states; its numerical rank is the number of base parameters. The leading
    parameter of dependent columns is the first in the order of `parameter_names`: parameters of outer links are added
    to those of inner links.

    Args:
        mech: the machine: a tree, general rows, springs, free joints.
        without: names of parameters known to be zero (symmetry), which are excluded.
        exact: coefficients as exact fractions, or as expressions in the symbols of the geometry (see
            `base_parameters_exact`); for small arms with rational geometry.
        seed: seed of the random states.

    >>> import numpy as np
    >>> import gearwright as gw
    >>> upper = gw.Body("upper", mass=2, com=(0.2, 0, 0), inertia=np.diag([0.01, 0.02, 0.02]))
    >>> fore = gw.Body("fore", "upper", position=(0.4, 0, 0), mass=1, com=(0.1, 0, 0), inertia=np.diag([0.01] * 3))
    >>> rotor = gw.Spin("rotor", "base", (0, 0, 1), 1e-4, [100, 0])
    >>> gw.base_parameters(gw.Mechanism([upper, fore], [rotor], gravity=(0, 0, 0))).names
    ('upper.Izz + 0.16 fore.m + 10000 rotor.J', 'fore.mcx', 'fore.mcy', 'fore.Izz')
    """
    mech = machine_of("base_parameters", mech)
    if mech.closure is not None and exact:
        raise InputError("base_parameters: closed loops have no exact coefficients. Leave out exact=True.")
    if exact or not _is_numeric(mech):
        return exact_base_parameters(mech, tuple(without))
    return numeric_base_parameters(mech, without, seed)


def _is_numeric(mech: Mechanism) -> bool:
    """Whether the geometry is numeric."""
    numbers: list[Scalar] = [*mech.gravity]
    for body in mech.bodies:
        numbers += [*body.axis, *body.position, *(x for row in body.rotation.rows() for x in row)]
    for spin in mech.spins:
        numbers += [*spin.axis, *spin.ratio]
    for spring in mech.springs:
        numbers += [*spring.row, spring.rest]
    return all(is_number(x) for x in numbers)
