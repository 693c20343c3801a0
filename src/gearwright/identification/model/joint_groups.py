"""The regressor grouped by joint: eleven parameters each, block upper triangular."""

from __future__ import annotations

from typing import NamedTuple

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number_array
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.functions import parameter_names
from gearwright.mechanism import Mechanism, RobotOrMech, Terms, tree_of


class ParameterGroup(NamedTuple):
    """The parameters that belong to one joint (or shaft): indices into `parameter_names`, and their names."""

    joint: str
    indices: tuple[int, ...]
    names: tuple[str, ...]


@check_arguments
def parameter_groups(mech: RobotOrMech) -> tuple[ParameterGroup, ...]:
    """Return the parameters per body, then per shaft: the ten of the body, and the wheels and springs that end there.

    A wheel belongs to the outermost of its carrier and the joints it turns with, so a rotor on link i-1 that drives
    joint i joins link i: eleven parameters per joint. For a chain the blocks Y[i, group j] vanish for i > j, the
    triangular form (34) of Sciavicco, Siciliano and Villani; in a tree they vanish unless joint i is on the path from
    the base to joint j.

    >>> from gearwright.mechanism import Body, Spin
    >>> bodies = [Body("upper", mass=1, com=(0.1, 0, 0)), Body("fore", "upper", mass=1, com=(0.1, 0, 0))]
    >>> arm = Mechanism(bodies, [Spin("rotor", "base", (0, 0, 1), 1e-4, [0, 50])])
    >>> [(group.joint, len(group.indices)) for group in parameter_groups(arm)]
    [('upper', 10), ('fore', 11)]
    """
    mech = tree_of("parameter_groups", mech)
    names = parameter_names(mech)
    owners = [i for i in range(len(mech.bodies)) for _ in range(10)]
    owners += [max(int(spin.carrier), _outermost_owner(mech, spin.terms)) for spin in mech.spins]
    owners += [_outermost_owner(mech, spring.terms) for spring in mech.springs for _ in range(2)]
    titles = [body.speed_name for body in mech.bodies] + list(mech.shafts)
    groups = []
    for owner, title in enumerate(titles):
        indices = tuple(k for k, group_index in enumerate(owners) if group_index == owner)
        groups.append(ParameterGroup(title, indices, tuple(names[k] for k in indices)))
    return tuple(groups)


@check_arguments
def regressor_blocks(mech: RobotOrMech, Y: Array) -> dict[str, Array]:
    """Return the regressor (..., n, parameters) as one block (..., n, parameters of the group) per joint and shaft."""
    columns = len(parameter_names(mech))
    table = number_array("regressor_blocks", "Y", Y)
    if table.ndim < 2 or table.shape[-1] != columns:
        raise InputError(f"regressor_blocks: Y has shape {table.shape}; it must be (..., n, {columns}), a regressor.")
    return {group.joint: table[..., list(group.indices)] for group in parameter_groups(mech)}  # Sciavicco (34)


def _outermost_owner(mech: Mechanism, terms: Terms) -> int:
    """Index of the last body (or shaft, after the bodies) among the speeds of a row."""
    speed_owner = {dof.speed: i for i, joint in reversed(list(enumerate(mech.joints))) for dof in joint.dofs}
    first_shaft = mech.n - len(mech.shafts)
    owner = {**speed_owner, **{first_shaft + k: len(mech.bodies) + k for k in range(len(mech.shafts))}}
    return max((owner[index] for index, _ in terms), default=0)
