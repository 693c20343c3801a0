"""Bodies that exist, with the same dynamics, in the place of links that have identifiable combinations only.

The torques of a machine contain fewer combinations of inertial parameters than there are parameters: an element of the
null space of the regressor changes none of them. Effective links have the combinations in the numbers of single links,
which may then be those of no body; a simulator rejects these. The nearest parameters with positive definite
pseudo-inertias are found by projecting alternately on them and on the parameters with the same torques.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gearwright.algebra import Tensor
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.functions import assemble, integrate, neutral, regressor
from gearwright.mechanism import Mechanism
from gearwright.parts import Link, Robot
from gearwright.parts.checks import tensor_defect
from gearwright.text import listed_names

STATES_PER_BODY = 8
"""Random states at which the regressor is evaluated, per body."""
NULL_SHARE = 1e-9
"""Singular value of the regressor, relative to the largest one, that counts as zero."""
LEAST_SHARE = 1e-4
"""Least eigenvalue of a pseudo-inertia, relative to its largest one."""
MOST_PROJECTIONS = 20_000
"""Projections after which the search ends."""
PLACES = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
"""Rows and columns of the elements of a tensor, in the order of the parameters."""
TRIANGLE = np.array([(i, j) for i in range(4) for j in range(i, 4)])


def with_possible_bodies(robot: Robot) -> tuple[Robot, tuple[str, ...]]:
    """Return a robot of equal dynamics whose links are possible bodies, and the names of the links that were none.

    Raises:
        InputError: no parameters with the same torques belong to bodies.
    """
    wrong = tuple(x.name for x in robot.links if x.effective and not _is_possible(x))
    if not wrong:
        return robot, ()
    mech = assemble(robot)
    names = [body.name for body in mech.bodies]
    start = np.array([_numbers(next(x for x in robot.links if x.name == name)) for name in names])
    found = _nearest_possible(start, _null_space(mech, start.size))
    if found is None:
        raise InputError(
            f"passport: the links {listed_names(wrong)} are effective and no bodies have their dynamics. Give the "
            "mass and inertia of bodies."
        )
    bodies = dict(zip(names, found, strict=True))
    links = [_with_numbers(link, bodies[link.name]) if link.name in bodies else link for link in robot.links]
    return replace(robot, links=links), wrong


def _is_possible(link: Link) -> bool:
    return float(link.mass) > 0 and tensor_defect(Tensor.from_rows(link.inertia)) is None


def _null_space(mech: Mechanism, size: int) -> Array:
    """Orthonormal directions of the bodies' parameters that change no torque, (size, directions)."""
    rng = np.random.default_rng(0)
    count = STATES_PER_BODY * size // 10
    start = np.repeat(np.asarray(neutral(mech), dtype=float)[None], count, axis=0)
    q = integrate(mech, start, rng.uniform(-np.pi, np.pi, (count, mech.n)))
    v, a = rng.normal(size=(2, count, mech.n))
    rows = np.asarray(regressor(mech, q, v, a))[..., :size].reshape(-1, size)
    _, values, directions = np.linalg.svd(rows, full_matrices=True)
    return np.asarray(directions[int((values > NULL_SHARE * values[0]).sum()) :].T)


def _nearest_possible(start: Array, free: Array) -> Array | None:
    """Return parameters (bodies, 10) in start + span(free) with positive definite pseudo-inertias; None if not found.

    Lengths are in the usual radius of gyration, so that all elements of a pseudo-inertia are masses.
    """
    length = _usual_radius(start)
    units = np.array([length, length, length, 1.0])

    def vectors(numbers: Array) -> Array:
        return _to_vectors(_matrices(numbers) / np.outer(units, units)).ravel()

    if not free.shape[1]:
        return None
    basis = np.linalg.qr(np.stack([vectors(column.reshape(-1, 10)) for column in free.T], axis=-1))[0]
    now = origin = vectors(start)
    least = _least_eigenvalues(_from_vectors(now.reshape(-1, 10)))
    for _ in range(MOST_PROJECTIONS):
        values, axes = np.linalg.eigh(_from_vectors(now.reshape(-1, 10)))
        if (values >= least[:, None] / 2).all():
            return _parameters(_from_vectors(now.reshape(-1, 10)) * np.outer(units, units))
        clipped = np.einsum("bij,bj,bkj->bik", axes, np.maximum(values, least[:, None]), axes)
        now = origin + basis @ (basis.T @ (_to_vectors(clipped).ravel() - origin))
    return None


def _usual_radius(numbers: Array) -> float:
    """Median radius of gyration of the bodies about their origins [m]; 0.1 m without masses."""
    heavy = numbers[numbers[:, 0] > 0]
    traces = heavy[:, [4, 7, 9]].sum(axis=1) / 2
    return float(np.sqrt(np.median(traces / heavy[:, 0]))) if len(heavy) and traces.min() > 0 else 0.1


def _least_eigenvalues(matrices: Array) -> Array:
    """Eigenvalue that each pseudo-inertia shall have at least: a share of its largest; less where it is positive."""
    values = np.linalg.eigvalsh(matrices)
    wanted = LEAST_SHARE * np.maximum(values[:, -1], values[:, -1].mean() / 10)
    return np.where(values[:, 0] > 0, np.minimum(wanted, values[:, 0]), wanted)


def _matrices(numbers: Array) -> Array:
    """Pseudo-inertias (bodies, 4, 4) of parameters (bodies, 10): mass, first moments, tensor about the origin."""
    m, hx, hy, hz, xx, xy, xz, yy, yz, zz = np.moveaxis(numbers, -1, 0)
    half = (xx + yy + zz) / 2
    rows = [[half - xx, -xy, -xz, hx], [-xy, half - yy, -yz, hy], [-xz, -yz, half - zz, hz], [hx, hy, hz, m]]
    return np.moveaxis(np.array(rows), -1, 0)


def _parameters(matrices: Array) -> Array:
    """The inverse of `_matrices`."""
    sigma, trace = matrices[:, :3, :3], np.trace(matrices[:, :3, :3], axis1=1, axis2=2)
    tensor = trace[:, None, None] * np.eye(3) - sigma
    return np.column_stack([matrices[:, 3, 3], matrices[:, :3, 3], *(tensor[:, i, j] for i, j in PLACES)])


def _to_vectors(matrices: Array) -> Array:
    """Coordinates (bodies, 10) in which the Frobenius norm is the Euclidean one."""
    weights = np.where(TRIANGLE[:, 0] == TRIANGLE[:, 1], 1.0, np.sqrt(2.0))
    return np.asarray(matrices[:, TRIANGLE[:, 0], TRIANGLE[:, 1]] * weights)


def _from_vectors(vectors: Array) -> Array:
    weights = np.where(TRIANGLE[:, 0] == TRIANGLE[:, 1], 1.0, np.sqrt(2.0))
    matrices = np.zeros((len(vectors), 4, 4))
    for k, (i, j) in enumerate(TRIANGLE):
        matrices[:, i, j] = matrices[:, j, i] = vectors[:, k] / weights[k]
    return matrices


def _numbers(link: Link) -> Array:
    """Mass, first moments and tensor about the origin of a link, (10,)."""
    m, com = float(link.mass), np.array([*link.com], dtype=float)
    tensor = np.array(Tensor.from_rows(link.inertia).rows(), dtype=float) + m * _steiner(com)
    return np.array([m, *(m * com), *(tensor[i, j] for i, j in PLACES)])


def _with_numbers(link: Link, numbers: Array) -> Link:
    m, h, (xx, xy, xz, yy, yz, zz) = float(numbers[0]), numbers[1:4], numbers[4:]
    about = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - m * _steiner(h / m)
    return replace(link, mass=m, com=tuple(map(float, h / m)), inertia=about, effective=False)


def _steiner(com: Array) -> Array:
    """Tensor of a unit mass at a point."""
    return np.asarray(com @ com * np.eye(3) - np.outer(com, com))
