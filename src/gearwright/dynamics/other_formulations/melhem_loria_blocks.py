"""The velocities of a redundant Cartesian model in blocks, and the constant inertia between them.

The models of Melhem and Loria are written for links and rotors as separate rigid bodies. A body of a machine includes
its wheels at rest; `Spin.rest` states the contribution of each, so it can be subtracted. A link has no rotation of its
own, a rotor turns about the third of its own axes.

A block is three velocities of one such body in some axes. With W the constant weights between blocks, the momentum of
block b is h_b = sum_j W_bj nu_j; if its axes rotate at Omega_b, a sum of blocks, then

    rate of momentum = sum_j W_bj d(nu_j)/dt + Omega_b x h_b.

The second term is n(nu), which Melhem and Loria omit: Lagrange's equations in quasi-velocities contain it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, TypeAlias

from gearwright.algebra import IDENTITY, ZERO, Inertia, Operations, Rot, Scalar, Tensor, Vec, is_number, is_zero
from gearwright.errors import InertiaError, JointError, SpinError, StructureError
from gearwright.mechanism import BASE, Mechanism, Rest, Spin, Terms
from gearwright.mechanism.assembly.wheel_lumping import transverse_axes
from gearwright.text import listed_names

# Links and rotors as free bodies


class FreeBody(NamedTuple):
    """A rigid body: the link `body` without its wheels, or a wheel that this link carries.

    `com` is in link axes from the link's origin; `tensor` about it in the piece's own axes, which for a rotor are
    `frame` turned about its third axis by terms . q; `at_rest` is the tensor in link axes.
    """

    name: str
    body: int
    mass: Scalar
    com: Vec
    tensor: Tensor
    at_rest: Tensor
    frame: Rot = IDENTITY
    terms: Terms | None = None

    @property
    def is_rotor(self) -> bool:
        """Whether it is a rotor, which has a rotation of its own."""
        return self.terms is not None


def free_bodies(mech: Mechanism) -> tuple[FreeBody, ...]:
    """The links in body order, then the rotors in the order of the spins."""
    rotors = tuple(_rotor_body(spin) for spin in mech.spins)
    return (*(_link_body(mech, i, rotors) for i in range(len(mech.bodies))), *rotors)


def _rotor_body(spin: Spin) -> FreeBody:
    owner = f"spin {spin.name!r}"
    wheel_at_rest = spin.rest
    if not is_number(spin.coupling_share) or spin.coupling_share != 1.0:
        raise SpinError(
            f"{owner}: its coupling {spin.coupling_inertia} is not its inertia {spin.inertia}, so it is not a single "
            "rotor, as a redundant model requires. Remove the coupling, or use the generalized model "
            "(forward_dynamics)."
        )
    if not isinstance(wheel_at_rest, Rest):
        raise SpinError(
            f"{owner}: its inertia at rest in its carrier is unknown, so link and rotor cannot be separated. Give "
            "Spin(..., rest=Rest(mass, position, transverse_inertia)), or assemble the machine from parts."
        )
    u, w = transverse_axes(owner, spin.axis, None)
    axial, across = spin.inertia, wheel_at_rest.transverse_inertia
    at_rest = Tensor.of_revolution(spin.axis, axial, across)
    tensor = Tensor.diagonal(across, across, axial)
    frame = Rot(u, w, spin.axis).T
    return FreeBody(
        spin.name, int(spin.carrier), wheel_at_rest.mass, wheel_at_rest.position, tensor, at_rest, frame, spin.terms
    )


def _link_body(mech: Mechanism, i: int, rotors: Sequence[FreeBody]) -> FreeBody:
    body = mech.bodies[i]
    total = body.about_origin
    for rotor in rotors:
        if rotor.body == i:
            rotor_tensor = Tensor(*(-x for x in rotor.at_rest))
            total = total + Inertia.of_body(-rotor.mass, rotor.com, rotor_tensor)
    mass = total.mass
    if is_number(mass) and abs(mass) <= 1e-12 * abs(body.mass):
        mass = 0.0
    com = ZERO if is_zero(mass) else total.moment * (1 / mass)
    central = total.tensor - Tensor.of_point_mass(com, mass)
    return FreeBody(body.name, i, mass, com, central, central)


def require_chain(function: str, mech: Mechanism) -> None:
    """Check that the machine is a chain of revolute, prismatic and fixed joints with their own coordinates."""
    if not any(joint.dofs for joint in mech.joints):
        raise StructureError(f"{function}: the machine has no moving joint. Give it a revolute or prismatic joint.")
    for i, body in enumerate(mech.bodies):
        if mech.parent_of(i) != (i - 1 if i else BASE):
            before = repr(mech.bodies[i - 1].name) if i else "the base"
            raise StructureError(
                f"{function}: the parent of body {body.name!r} is not {before}: the machine branches, but the "
                "redundant models of Melhem and Loria require a chain. Use one branch, or the generalized model."
            )
        if (body.kind.speeds and not body.kind.pure) or body.follows is not None:
            kind = "following" if body.follows is not None else body.joint
            raise JointError(
                f"{function}: body {body.name!r} has a {kind} joint; the redundant models require revolute, prismatic "
                "and fixed joints, each with its own coordinate. Use the generalized model."
            )


def require_elastic(function: str, mech: Mechanism) -> None:
    """Check that a spring connects every joint to a shaft; the machine checks that every shaft has a rotor."""
    joints = mech.n - len(mech.shafts)
    for speed in range(joints):
        springs = [[index for index, _ in spring.terms] for spring in mech.springs]
        if not any(speed in row and max(row) >= joints for row in springs):
            raise JointError(
                f"{function}: no spring connects joint {mech.speeds[speed]!r} to a motor shaft. Give the gear of its "
                "drive a stiffness, or use RedundantModel(approximate(mech, 'rigid'), joints='rigid')."
            )


def require_rigid(function: str, mech: Mechanism) -> None:
    """Check that the machine has no shafts."""
    if mech.shafts:
        raise StructureError(
            f"{function}: the machine has elastic drives (shafts {listed_names(mech.shafts)}). Use joints='elastic', "
            "or approximate(mech, 'rigid')."
        )


# Blocks of velocities

BlockQuantity: TypeAlias = Literal["velocity", "turning", "carrier", "spin"]
BlockAxes: TypeAlias = Literal["base", "link", "own"]


class VelocityBlock(NamedTuple):
    """Three redundant velocities of a body.

    `quantity`: velocity of the point at `offset` (own axes) from the centre of mass, angular velocity of the body, of
    its carrier link, or of the body relative to that link; `turned_by`: the blocks whose sum is the angular velocity of
    the axes.
    """

    name: str
    piece: int
    quantity: BlockQuantity
    axes: BlockAxes
    turned_by: tuple[int, ...] = ()
    offset: Vec = ZERO


class BlockLayout(NamedTuple):
    """The blocks of a redundant model, with the weights W between them (both W_bj and W_jb are listed)."""

    pieces: tuple[FreeBody, ...]
    blocks: tuple[VelocityBlock, ...]
    weights: dict[tuple[int, int], Tensor]

    @property
    def size(self) -> int:
        """The number of redundant velocities."""
        return 3 * len(self.blocks)

    def find_block(self, piece: int, quantity: BlockQuantity) -> int | None:
        """Return the block of a body with a quantity (that of the first point of several), or None."""
        for k, block in enumerate(self.blocks):
            if block.piece == piece and block.quantity == quantity:
                return k
        return None


def block_layout(mech: Mechanism, form: str, ops: Operations) -> BlockLayout:
    """The blocks and weights of one of the `REDUNDANT_FORMS`."""
    return REDUNDANT_FORMS[form](free_bodies(mech), ops)


def _full_layout(parts: Sequence[FreeBody], _: Operations) -> BlockLayout:
    """The velocities [p_l, p_m, w_l | w of the carriers | own spin], 15 n: eqs (8) to (11)."""
    return _with_spins(parts, _velocity_blocks(parts, "base"))  # Melhem (8)-(11)


def _link_frame_layout(parts: Sequence[FreeBody], _: Operations) -> BlockLayout:
    """The same with the linear velocities in link axes, for a constant left inverse of every chain."""
    return _with_spins(parts, _velocity_blocks(parts, "link"))


def _absolute_layout(parts: Sequence[FreeBody], _: Operations) -> BlockLayout:
    """The velocities [p_l, p_m, w_l, w_m], 12 n: every rotor by its absolute angular velocity; M is definite."""
    return _with_rotors(parts, "turning", "w")


def _reduced_layout(parts: Sequence[FreeBody], ops: Operations) -> BlockLayout:
    """The velocities [p_l, p_m, w_l | own spin], 12 n: rotors with their own spin only, at rest in the links."""
    bare = _bare_reduced_layout(parts, ops)
    weights = dict(bare.weights)
    for rotor in (part for part in parts if part.is_rotor and part.body != BASE):
        k = bare.find_block(rotor.body, "turning")
        if k is not None:
            weights[k, k] = weights[k, k] + rotor.at_rest
    return bare._replace(weights=weights)


def _bare_reduced_layout(parts: Sequence[FreeBody], _: Operations) -> BlockLayout:
    """The same as printed: without the second row and column of eq. (10), which also drops the rotors' inertia."""
    return _with_rotors(parts, "spin", "spin.w")


def _with_rotors(parts: Sequence[FreeBody], quantity: BlockQuantity, title: str) -> BlockLayout:
    """The velocities of the links, and one kind of angular velocity of each rotor in its own axes."""
    blocks = _velocity_blocks(parts, "base")
    weights = _block_weights(parts, blocks)
    for k in _rotor_indices(parts):
        block_index = len(blocks)
        blocks.append(VelocityBlock(f"{parts[k].name}.{title}", k, quantity, "own", (block_index,)))
        weights[block_index, block_index] = parts[k].tensor
    return BlockLayout(tuple(parts), tuple(blocks), weights)


def _point_layout(parts: Sequence[FreeBody], ops: Operations) -> BlockLayout:
    """Six equal mass points per body with the same mass, centre and tensor, velocities in base axes, 36 n."""
    blocks: list[VelocityBlock] = []
    weights: dict[tuple[int, int], Tensor] = {}
    for k, part in enumerate(parts):
        mass = part.mass * (1 / 6)
        for number, offset in enumerate(equimomental_points(part, ops.sqrt), 1):
            weights[len(blocks), len(blocks)] = Tensor.diagonal(mass, mass, mass)
            blocks.append(VelocityBlock(f"{part.name}.point{number}.v", k, "velocity", "base", (), offset))
    return BlockLayout(tuple(parts), tuple(blocks), weights)


REDUNDANT_FORMS: dict[str, Callable[[Sequence[FreeBody], Operations], BlockLayout]] = {
    "full": _full_layout,
    "absolute": _absolute_layout,
    "reduced": _reduced_layout,
    "reduced_bare": _bare_reduced_layout,
    "link_frames": _link_frame_layout,
    "points": _point_layout,
}
"""The redundant models by name."""


def _rotor_indices(parts: Sequence[FreeBody]) -> list[int]:
    return [k for k, part in enumerate(parts) if part.is_rotor]


def _velocity_blocks(parts: Sequence[FreeBody], axes: BlockAxes) -> list[VelocityBlock]:
    """The blocks of nu_1: velocities of all centres of mass, then angular velocities of the links in link axes."""
    links = len(parts) - len(_rotor_indices(parts))
    first = len(parts)  # the first block of an angular velocity
    blocks = []
    for k, part in enumerate(parts):
        turned_by = (first + part.body,) if axes == "link" and part.body != BASE else ()
        blocks.append(VelocityBlock(f"{part.name}.v", k, "velocity", axes, turned_by))
    return blocks + [VelocityBlock(f"{parts[i].name}.w", i, "turning", "own", (first + i,)) for i in range(links)]


def _block_weights(parts: Sequence[FreeBody], blocks: Sequence[VelocityBlock]) -> dict[tuple[int, int], Tensor]:
    """M_1 of eq. (11): masses and the links' tensors."""
    weights = {}
    for k, block in enumerate(blocks):
        part = parts[block.piece]
        weights[k, k] = part.tensor if block.quantity == "turning" else Tensor.diagonal(*[part.mass] * 3)
    return weights


def _with_spins(parts: Sequence[FreeBody], blocks: list[VelocityBlock]) -> BlockLayout:
    """Add nu_2, nu_3 and the four equal blocks M_2 of eq. (10)."""
    weights = _block_weights(parts, blocks)
    rotors = _rotor_indices(parts)
    start, count = len(blocks), len(rotors)
    both = {k: (start + j, start + count + j) for j, k in enumerate(rotors)}
    blocks += [VelocityBlock(f"{parts[k].name}.carrier.w", k, "carrier", "own", both[k]) for k in rotors]
    blocks += [VelocityBlock(f"{parts[k].name}.spin.w", k, "spin", "own", both[k]) for k in rotors]
    for k, pair in both.items():
        weights |= {(i, j): parts[k].tensor for i in pair for j in pair}
    return BlockLayout(tuple(parts), tuple(blocks), weights)


def equimomental_points(part: FreeBody, sqrt: Callable[[Scalar], Scalar]) -> list[Vec]:
    """Return six points of a sixth of the mass: +-sqrt(3/m) times the columns of a root of the second moments.

    With S = sum m r r' = (tr I / 2) 1 - I = sum_k c_k c_k', the points +-sqrt(3/m) c_k have S and their centre at 0.
    """
    t = part.tensor
    if is_number(part.mass) and part.mass <= 0:
        raise InertiaError(
            f"{part.name!r} has a mass of {part.mass:g} kg without its wheels; six mass points require a positive "
            "mass. Give its mass, or use the 'full' model."
        )
    half = (t.xx + t.yy + t.zz) * 0.5
    scale = sqrt(3 / part.mass)
    places = [c * scale for c in _cholesky_columns(part.name, Tensor.diagonal(half, half, half) - t, sqrt)]
    return [place * sign for place in places for sign in (1.0, -1.0)]


def _cholesky_columns(owner: str, second: Tensor, sqrt: Callable[[Scalar], Scalar]) -> list[Vec]:
    """Return columns c with second = sum c c', by Cholesky decomposition; numbers with pivoting."""
    left = [list(row) for row in second.rows()]
    numbers = all(is_number(x) for x in second)
    smallest = 1e-14 * (second.xx + second.yy + second.zz) if numbers else 0.0
    columns: list[Vec] = []
    open_rows = [0, 1, 2]
    while open_rows:
        k = max(open_rows, key=lambda i: left[i][i]) if numbers else open_rows[0]
        open_rows.remove(k)
        pivot = left[k][k]
        if numbers and pivot <= smallest:
            _refuse_negative(owner, [left[i][i] for i in (k, *open_rows)], smallest)
            return columns + [ZERO] * (3 - len(columns))
        column = [left[i][k] / sqrt(pivot) if i in open_rows or i == k else 0.0 for i in range(3)]
        for i in open_rows:
            for j in open_rows:
                left[i][j] = left[i][j] - column[i] * column[j]
        columns.append(Vec(*column))
    return columns


def _refuse_negative(owner: str, pivots: Sequence[float], smallest: float) -> None:
    if min(pivots) < -100 * smallest:
        raise InertiaError(
            f"{owner!r}: without its wheels its principal moments violate the triangle inequality, so no mass "
            "points have its inertia. Correct its tensor or that of its wheels, or use the 'full' model."
        )
