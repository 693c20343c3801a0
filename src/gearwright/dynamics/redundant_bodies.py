"""Links and rotors as separate rigid bodies again: what the redundant models of Melhem and Loria are written for.

A body of a machine contains its wheels at rest; `Spin.rest` remembers what each of them brought in, so that it can be
taken out. A link is a piece that does not turn against itself, a rotor one that turns about the third of its own axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gearwright.algebra import IDENTITY, ZERO, Inertia, Rot, Scalar, Tensor, Vec, is_number, is_zero
from gearwright.errors import JointError, SpinError, StructureError
from gearwright.mechanism import BASE, Mechanism, Rest, Spin
from gearwright.mechanism.rows import Terms
from gearwright.mechanism.structure_lumping import across_axes
from gearwright.text import listed


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
    def turns(self) -> bool:
        """Whether it is a rotor, which has a rotation of its own."""
        return self.terms is not None


def free_bodies(mech: Mechanism) -> tuple[FreeBody, ...]:
    """The links in body order, then the rotors in the order of the spins."""
    rotors = tuple(_rotor(spin) for spin in mech.spins)
    return (*(_link(mech, i, rotors) for i in range(len(mech.bodies))), *rotors)


def _rotor(spin: Spin) -> FreeBody:
    owner = f"spin {spin.name!r}"
    rest = spin.rest
    if not is_number(spin.coupling_share) or spin.coupling_share != 1.0:
        raise SpinError(
            f"{owner}: its coupling {spin.coupled} is not its inertia {spin.inertia}, so it is not a single rotor as a "
            "redundant model needs it. Leave the coupling away, or use the generalized model (forward_dynamics)."
        )
    if not isinstance(rest, Rest):
        raise SpinError(
            f"{owner}: what of it lies in its carrier is unknown, so link and rotor cannot be separated. Give "
            "Spin(..., rest=Rest(mass, position, transverse_inertia)), or assemble the machine from parts."
        )
    u, w = across_axes(owner, spin.axis, None)
    axial, across = spin.inertia, rest.transverse_inertia
    at_rest = Tensor.of_revolution(spin.axis, axial, across)
    tensor = Tensor.diagonal(across, across, axial)
    frame = Rot(u, w, spin.axis).T
    return FreeBody(spin.name, int(spin.carrier), rest.mass, rest.position, tensor, at_rest, frame, spin.terms)


def _link(mech: Mechanism, i: int, rotors: Sequence[FreeBody]) -> FreeBody:
    body = mech.bodies[i]
    total = body.about_origin
    for rotor in rotors:
        if rotor.body == i:
            taken = Tensor(*(-x for x in rotor.at_rest))
            total = total + Inertia.of_body(-rotor.mass, rotor.com, taken)
    mass = total.mass
    if is_number(mass) and abs(mass) <= 1e-12 * abs(body.mass):
        mass = 0.0
    com = ZERO if is_zero(mass) else total.moment * (1 / mass)
    central = total.tensor - Tensor.point(com, mass)
    return FreeBody(body.name, i, mass, com, central, central)


def require_chain(function: str, mech: Mechanism) -> None:
    """Every body hangs on the one before it and moves by a revolute, prismatic or fixed joint of its own."""
    if not any(joint.dofs for joint in mech.joints):
        raise StructureError(f"{function}: no joint of the machine moves. Give it a revolute or prismatic joint.")
    for i, body in enumerate(mech.bodies):
        if mech.parent(i) != (i - 1 if i else BASE):
            before = repr(mech.bodies[i - 1].name) if i else "the base"
            raise StructureError(
                f"{function}: body {body.name!r} does not hang on {before}: the machine branches, and the redundant "
                "models of Melhem and Loria are those of a chain. Use one branch, or the generalized model."
            )
        if (body.kind.speeds and not body.kind.pure) or body.follows is not None:
            kind = "following" if body.follows is not None else body.joint
            raise JointError(
                f"{function}: body {body.name!r} has a {kind} joint; the redundant models take revolute, prismatic and "
                "fixed joints, each with a coordinate of its own. Use the generalized model."
            )


def require_elastic(function: str, mech: Mechanism) -> None:
    """A spring joins every joint to a shaft; that a rotor turns every shaft, the machine has seen to itself."""
    joints = mech.n - len(mech.shafts)
    for speed in range(joints):
        springs = [[index for index, _ in spring.terms] for spring in mech.springs]
        if not any(speed in row and max(row) >= joints for row in springs):
            raise JointError(
                f"{function}: no spring joins joint {mech.speeds[speed]!r} to a motor shaft. Give the gear of its "
                "drive a stiffness, or ask for RedundantModel(approximate(mech, 'rigid'), joints='rigid')."
            )


def require_rigid(function: str, mech: Mechanism) -> None:
    """No speed moves but those of the joints."""
    if mech.shafts:
        raise StructureError(
            f"{function}: the machine has elastic drives (shafts {listed(mech.shafts)}). Ask for joints='elastic', "
            "or for approximate(mech, 'rigid')."
        )
