r"""Flexible bodies by modes: assumed modes, and finite-element models reduced by Craig and Bampton.

A flexible body is a set of nodes with masses whose displacement is a combination of modes,
$u_k = \sum_i \Phi_{ki} \eta_i$ and $\theta_k = \sum_i \Psi_{ki} \eta_i$ in the frame of the link. In the machine
every modal coordinate $\eta_i$ is the joint of a massless link, and every node is a body on joints that follow these
coordinates: a slide along $\Phi_{ki}$ and a turn about $\Psi_{ki}$ per mode. All inertial couplings with the motion of
the link and with rotors mounted on nodes are therefore exact, and all algorithms apply unchanged. The potential is
$\eta' K \eta / 2$.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gearwright.algebra import Tensor, Vec
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number_array, real_number, require_range, whole_number
from gearwright.errors import FileError, GearwrightError, PartError
from gearwright.file_access import open_regular, write_files
from gearwright.parts.builders.link_division import (
    attached_segments,
    refuse_trains_on_link,
    segment_name,
    with_divided_link,
    with_tip,
)
from gearwright.parts.gears.elasticity import PassiveSpring
from gearwright.parts.link import Joint, Link
from gearwright.parts.robot import Robot

ZERO_INERTIA = Tensor.diagonal(0.0, 0.0, 0.0)
STILL_NODE_RATIO = 1e-12
"""Displacement of a node in a mode, relative to the largest of the mode, below which the node is at rest."""
SINGULAR_STIFFNESS_RATIO = 1e-12
"""Eigenvalue of a stiffness matrix, relative to the largest, below which it is zero."""

FIELDS = ("positions", "masses", "modes", "stiffness", "inertias", "damping")
"""Arrays of the file of a flexible body."""
MAX_BYTES = 1_000_000_000
"""Largest size of these arrays [bytes]."""


@check_arguments
@dataclass(frozen=True)
class FlexibleBody:
    """A flexible body by modes of its nodes, in the frame of its link.

    Args:
        positions: of the N nodes [m], (N, 3).
        masses: of the nodes [kg], (N,), lumped; the mass of the link itself is a rigid hub at its origin.
        modes: translations [m] and rotations [rad] of every node per unit of every modal coordinate, (m, N, 6).
        stiffness: of the modal coordinates, (m, m), symmetric and positive definite.
        inertias: tensors of the nodes about themselves [kg m2], (N, 3, 3); None: point masses.
        damping: of the material [s]: the damping matrix is this time times the stiffness matrix.
    """

    positions: Any
    masses: Any
    modes: Any
    stiffness: Any
    inertias: Any = None
    damping: float = 0.0

    def __post_init__(self) -> None:
        arrays = {name: self._checked_array(name) for name in ("positions", "masses", "modes", "stiffness")}
        nodes, count = len(arrays["masses"]), len(arrays["modes"])
        inertias = np.zeros((nodes, 3, 3)) if self.inertias is None else self._checked_array("inertias")
        shapes = {"positions": (nodes, 3), "modes": (count, nodes, 6), "stiffness": (count, count)}
        for name, shape in {**shapes, "inertias": (nodes, 3, 3)}.items():
            array = inertias if name == "inertias" else arrays[name]
            if array.shape != shape or not count:
                raise PartError(f"flexible body: {name} has shape {array.shape}; for {nodes} nodes give {shape}.")
            object.__setattr__(self, name, array)
        object.__setattr__(self, "masses", arrays["masses"])
        if arrays["masses"].min() < 0:
            raise PartError(
                f"flexible body: a node has the mass {arrays['masses'].min():g} kg. Masses are not negative."
            )
        K = arrays["stiffness"]
        if np.abs(K - K.T).max() > 1e-9 * np.abs(K).max() or np.linalg.eigvalsh(K).min() <= 0:
            raise PartError(
                "flexible body: stiffness is not symmetric and positive definite. Leave rigid-body modes out: the "
                "link's own joint has them."
            )
        for node, tensor in enumerate(inertias):
            if np.abs(tensor - tensor.T).max() > 1e-9 * np.abs(tensor).max():
                raise PartError(f"flexible body: the inertia of node {node + 1} is not symmetric. Correct its tensor.")
        require_range("flexible body", "damping", self.damping, least=0.0, unit="seconds", error=PartError)

    def _checked_array(self, name: str) -> NDArray[np.float64]:
        axes = {"positions": 2, "masses": 1, "modes": 3, "stiffness": 2, "inertias": 3}[name]
        array = number_array("flexible body", name, getattr(self, name), axes=axes)
        if not array.size:
            raise PartError(f"flexible body: {name} is empty. Give at least one node and one mode.")
        return array.copy()

    def segment_at(self, position: Any) -> int:
        """Index of the nearest node of a point, counted from 1; 0 for the link's origin if it is nearer."""
        distances = np.linalg.norm(self.positions - np.array([float(x) for x in Vec.from_values(position)]), axis=1)
        nearest = int(distances.argmin())
        origin = float(np.linalg.norm([float(x) for x in Vec.from_values(position)]))
        return 0 if origin < distances[nearest] else nearest + 1

    def segment_origin(self, segment: int) -> Vec:
        """Position of a node, counted from 1; 0 is the link's origin."""
        return Vec(*(float(x) for x in self.positions[segment - 1])) if segment else Vec(0.0, 0.0, 0.0)

    @property
    def frequencies(self) -> NDArray[np.float64]:
        """Natural frequencies of the body with its link held [Hz], ascending."""
        M = np.einsum("ikx,jkx,k->ij", self.modes[:, :, :3], self.modes[:, :, :3], self.masses)
        M += np.einsum("ikx,kxy,jky->ij", self.modes[:, :, 3:], self.inertias, self.modes[:, :, 3:])
        values, _ = generalized_eigenvectors(self.stiffness, M)
        return np.asarray(np.sqrt(values) / (2 * np.pi))

    @check_arguments
    def save(self, path: str | Path) -> None:
        """Write the body as a NumPy archive (.npz) with one array per field, as `load_flexible_body` reads it."""
        archive = BytesIO()
        np.savez(
            archive,
            positions=self.positions,
            masses=self.masses,
            modes=self.modes,
            stiffness=self.stiffness,
            inertias=self.inertias,
            damping=self.damping,
        )
        write_files({Path(path): archive.getvalue()})


@check_arguments
def load_flexible_body(path: str | Path) -> FlexibleBody:
    """Return the flexible body of a NumPy archive (.npz) with the arrays `positions`, `masses`, `modes`, `stiffness`.

    `inertias` and `damping` may be left out. The units are m, kg, rad, N, s; the axes are those of the link's frame.
    """
    with open_regular(Path(path)) as handle:
        try:
            archive = np.load(handle, allow_pickle=False)
            size = sum(member.file_size for member in archive.zip.infolist())
            arrays = {name: archive[name] for name in FIELDS if name in archive.files} if size <= MAX_BYTES else None
        except Exception as error:  # NumPy, zipfile and zlib have many error types, and a header may state any shape
            raise FileError(
                f"{path}: this is not a NumPy archive (.npz) of arrays ({error or type(error).__name__}). Write the "
                "file with FlexibleBody.save."
            ) from None
    if arrays is None:
        raise FileError(f"{path}: its arrays have {size} bytes, more than the limit of {MAX_BYTES}. Reduce the model.")
    missing = [name for name in ("positions", "masses", "modes", "stiffness") if name not in arrays]
    if missing:
        raise FileError(f"{path}: the array {missing[0]!r} is missing. Write the file with FlexibleBody.save.")
    damping = arrays.pop("damping", np.array(0.0))
    try:
        return FlexibleBody(**arrays, damping=real_number("flexible body", "damping", damping[()], least=0.0))
    except GearwrightError as error:
        raise FileError(f"{path}: {error}") from None


@check_arguments
def craig_bampton(
    positions: ArrayLike,
    mass: ArrayLike,
    stiffness: ArrayLike,
    root: int,
    interface: Sequence[int],
    modes: int = 4,
    damping: float = 0.0,
) -> FlexibleBody:
    r"""Return a finite-element model reduced by Craig and Bampton, with orthogonal modes.

    With the root held, the inner degrees of freedom are $u_i = \Psi u_b + \Phi \xi$ with the constraint modes
    $\Psi = -K_{ii}^{-1} K_{ib}$ of the interface and the first normal modes $\Phi$ of the held interface. The modes of
    the reduced matrices, with diagonal stiffness, are the modes of the body. Masses and moments of inertia of nodes are
    row sums of the mass matrix; the error of this lumping decreases with the square of the mesh size.

    Args:
        positions: of the N nodes in the link's frame [m], (N, 3).
        mass: (6 N, 6 N) with x, y, z, rx, ry, rz per node, or (3 N, 3 N) for solids [kg, kg m2].
        stiffness: of the same shape [N/m, Nm/rad].
        root: index of the node that is fixed to the link.
        interface: indices of nodes that carry other parts.
        modes: number of normal modes of the held interface.
        damping: of the material [s].
    """
    arrays = {"positions": positions, "mass": mass, "stiffness": stiffness}
    x, M, K = (number_array("craig_bampton", name, array, axes=2) for name, array in arrays.items())
    nodes = len(x)
    dofs = len(K) // max(nodes, 1)
    if x.shape != (nodes, 3) or K.shape != (dofs * nodes,) * 2 or M.shape != K.shape or dofs not in (3, 6):
        raise PartError(
            f"craig_bampton: positions {x.shape}, mass {M.shape}, stiffness {K.shape}: give (N, 3) and two matrices of "
            "3 N or 6 N rows."
        )
    if not {root, *interface} <= set(range(nodes)) or root in interface:
        raise PartError(
            f"craig_bampton: root {root} and interface {tuple(interface)} are not different nodes of {nodes}."
        )
    held = range(dofs * root, dofs * (root + 1))
    b = np.array([dofs * k + j for k in interface for j in range(dofs)], dtype=int)
    i = np.array([k for k in range(dofs * nodes) if k not in held and k not in set(b.tolist())], dtype=int)
    whole_number("craig_bampton", "modes", modes, least=0 if len(b) else 1)
    if modes > len(i):
        raise PartError(f"craig_bampton: modes={modes}, but the model has {len(i)} inner degrees of freedom.")
    basis = np.zeros((dofs * nodes, len(b) + modes))
    basis[b, np.arange(len(b))] = 1.0
    if len(b):
        try:
            basis[i, : len(b)] = -np.linalg.solve(K[np.ix_(i, i)], K[np.ix_(i, b)])
        except np.linalg.LinAlgError:
            raise PartError(
                "craig_bampton: the stiffness of the inner nodes is singular: a part is not connected to root and "
                "interface. Connect it, or leave it out."
            ) from None
    basis[i, len(b) :] = generalized_eigenvectors(K[np.ix_(i, i)], M[np.ix_(i, i)])[1][:, :modes]
    values, vectors = generalized_eigenvectors(basis.T @ K @ basis, basis.T @ M @ basis)
    shapes = np.zeros((len(values), nodes, 6))
    shapes[:, :, :dofs] = (basis @ vectors).T.reshape(len(values), nodes, dofs)
    blocks = M.reshape(nodes, dofs, nodes, dofs)
    masses = np.einsum("kxlx->k", blocks[:, :3, :, :3]) / 3
    moments = np.zeros((nodes, 3))
    if dofs == 6:  # a section's polar moment is the sum of the two others: none is below half of the largest
        moments = np.maximum(np.einsum("kxlx->kx", blocks[:, 3:, :, 3:]), 0.0)
        moments = np.maximum(moments, moments.max(axis=1, keepdims=True) / 2)
    inertias = np.einsum("kx,xy->kxy", moments, np.eye(3))
    return FlexibleBody(x, masses, shapes, np.diag(values), inertias=inertias, damping=damping)


def generalized_eigenvectors(K: NDArray[Any], M: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return eigenvalues and eigenvectors of K v = w M v, ascending, with v' M v = 1."""
    try:
        L = np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        raise PartError(
            "flexible body: the mass matrix of its modes is not positive definite. Give nodes masses."
        ) from None
    values, vectors = np.linalg.eigh(np.linalg.solve(L, np.linalg.solve(L, K).T))
    return values, np.linalg.solve(L.T, vectors)


@check_arguments
def with_flexible_body(robot: Robot, link: str, body: FlexibleBody) -> Robot:
    """Return the robot with a flexible link; the link keeps its joint, and its mass becomes a hub at its origin.

    The modal coordinates are the joints `<link>.mode1`, `<link>.mode2`, ...; the nodes are the links `<link>.1`,
    `<link>.2`, ... Links, frames, motors and the payload on the link are moved to the node at their position. The
    displacements are linear in the modal coordinates, so that a stretched or rotating body is not stiffened; a `Beam`
    with `modes` is.

    >>> rod = Robot("rod", [Link("boom", mass=1.0)])
    >>> tip = FlexibleBody([[1.0, 0, 0]], [0.5], [[[0, 1.0, 0, 0, 0, 1.5]]], [[3 * 40.0]])
    >>> [part.name for part in with_flexible_body(rod, "boom", tip).links]
    ['boom', 'boom.mode1', 'boom.1']
    """
    refuse_trains_on_link(robot, link)
    old = robot.link(link)
    names = [f"{link}.mode{k + 1}" for k in range(len(body.modes))]
    modal = [Link(name, link, Joint(name, "prismatic"), inertia=ZERO_INERTIA) for name in names]
    turning = attached_segments(robot, link, body)
    nodes = [part for k in range(len(body.masses)) for part in _node_links(link, names, body, k, k + 1 in turning)]
    pieces = with_tip(old, link, [*modal, *nodes], body)
    return with_divided_link(robot, link, old, pieces, body, modal_springs(link, names, body.stiffness, body.damping))


def modal_springs(link: str, names: Sequence[str], stiffness: NDArray[Any], damping: float) -> list[PassiveSpring]:
    """Return springs along modal coordinates whose potential is that of a stiffness matrix."""
    values, vectors = np.linalg.eigh(stiffness)
    springs = []
    for k, (value, vector) in enumerate(zip(values.tolist(), vectors.T, strict=True)):
        if value > SINGULAR_STIFFNESS_RATIO * values[-1]:
            row = {name: float(x) for name, x in zip(names, vector, strict=True) if abs(x) > STILL_NODE_RATIO}
            springs.append(PassiveSpring(f"{link}.elasticity{k + 1}", row, value, damping * value))
    return springs


def _node_links(link: str, names: Sequence[str], body: FlexibleBody, node: int, carries: bool) -> Iterator[Link]:
    """Yield the links of a node: a slide and a turn per mode, the last one with its mass; none for an idle node."""
    mass, inertia, final = float(body.masses[node]), body.inertias[node], segment_name(link, node + 1)
    turns = carries or bool(np.abs(inertia).max() > 0)
    if not (mass or turns):
        return
    scale = STILL_NODE_RATIO * max(float(np.abs(body.modes).max()), 1e-300)
    moves = [
        (kind, names[i], body.modes[i, node, part])
        for kind, part in (("prismatic", slice(0, 3)), ("revolute", slice(3, 6)))
        for i in range(len(names))
        if (kind == "prismatic" or turns) and np.abs(body.modes[i, node, part]).max() > scale
    ]
    parent, place = link, body.segment_origin(node + 1)
    tensor = Tensor.from_rows(inertia.tolist())
    if not moves:
        yield Link(final, parent, Joint(f"{final}.fixed", "fixed", position=place), mass, Vec(0.0, 0.0, 0.0), tensor)
    for count, (kind, name, vector) in enumerate(moves):
        size = float(np.linalg.norm(vector))
        is_last = count == len(moves) - 1
        title = final if is_last else f"{final}.{count + 1}"
        follows = (name, size, 0.0)
        joint = Joint(f"{title}.follows", kind, axis=tuple((vector / size).tolist()), position=place, follows=follows)
        yield Link(title, parent, joint, mass if is_last else 0.0, inertia=tensor if is_last else ZERO_INERTIA)
        parent, place = title, Vec(0.0, 0.0, 0.0)
