"""An equivalent machine with far fewer operations in its equations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from gearwright.algebra import ZERO, Rot, Scalar, is_number, is_zero
from gearwright.mechanism import Body, Mechanism, Spring
from gearwright.mechanism.layout import lay_out
from gearwright.tracing.simplify.editable_machine import Draft, RegroupedBody, merged
from gearwright.tracing.simplify.frame_choice import reframed
from gearwright.tracing.simplify.inertia_regrouping import regrouped

PREPARED = (
    "inverse_dynamics",
    "forward_dynamics",
    "bias",
    "gravity",
    "mass_matrix",
    "coriolis_matrix",
    "kinetic_energy",
)
"""The functions that a prepared machine computes as the original does: they depend on forces and energies alone."""

ORTHOGONAL = 1e-13
"""How far a rotation may be from orthogonal before new frames would change results."""


class Prepared(NamedTuple):
    """A machine in other frames and with regrouped inertias, to be placed at q + offsets.

    It has the speeds of the original and the same `PREPARED` functions, with a base at rest and without wrenches. Its
    bodies are not those of the original: positions, reactions, single bodies' energies mean nothing.
    """

    mech: Mechanism
    offsets: tuple[float, ...]

    def placed_at(self, q: Sequence[Scalar]) -> list[Scalar]:
        """The coordinates of the prepared machine for those of the original."""
        return [x if is_zero(offset) else x + offset for x, offset in zip(q, self.offsets, strict=True)]


def prepare(mech: Mechanism) -> Prepared:
    """The machine with the fewest numbers that has the same equations of motion.

    Bodies on fixed joints are merged, frames chosen after Denavit and Hartenberg, inertias regrouped to the base
    parameters, wheels of one speed on one carrier made one. Inertias and ratios may be symbols; a machine with symbols
    among its lengths or directions (or rotations that are none to the last digits) comes back as it is.

    >>> from gearwright.mechanism import Body, Spin
    >>> arm = Mechanism([Body("upper", mass=2, com=(0.2, 0, 0))], [Spin("rotor", "base", (0, 0, 1), 1e-4, [100])])
    >>> [x for x in prepare(arm).mech.bodies[0].about_origin.tensor]        # 1e-4 * 100^2 + 2 * 0.2^2 about z
    [0.0, 0.0, 0.0, 1.08, 0.0, 1.08]
    """
    if not _has_plain_frames(mech) or not any(body.kind.speeds for body in mech.bodies):
        return Prepared(mech, (0.0,) * mech.nq)
    draft, turns = reframed(merged(mech))
    layout = lay_out(draft.bodies, mech.shafts)
    draft = regrouped(draft, layout)
    offsets = [0.0] * mech.nq
    for body, joint, turn in zip(draft.bodies, layout.joints, turns, strict=True):
        if turn and body.follows is None:
            offsets[joint.first] = turn
    bodies = [_body(draft, i, _following(draft, i, turns)) for i in range(len(draft.bodies))]
    springs = [_stretched(spring, mech, offsets) for spring in mech.springs]
    return Prepared(Mechanism(bodies, draft.spins, mech.shafts, springs, (), draft.gravity), tuple(offsets))


def _has_plain_frames(mech: Mechanism) -> bool:
    frames = [x for b in mech.bodies for v in (*_rows(b.rotation), b.position, b.axis, b.axis2 or ()) for x in v]
    axes = [x for spin in mech.spins for x in spin.axis]
    return all(map(is_number, (*frames, *axes, *mech.gravity))) and all(_orthogonal(b.rotation) for b in mech.bodies)


def _rows(R: Rot) -> tuple[Sequence[Scalar], ...]:
    return R.rows()


def _orthogonal(R: Rot) -> bool:
    product = R.after(R.T).rows()
    return all(abs(x - (i == j)) <= ORTHOGONAL for i, row in enumerate(product) for j, x in enumerate(row))


def _following(draft: Draft, i: int, turns: Sequence[float]) -> tuple[str | int, Scalar, Scalar] | None:
    """A follower's law between the new coordinates: its own turn comes in, its leader's goes out."""
    follows = draft.bodies[i].follows
    if follows is None:
        return None
    leader, multiplier, offset = follows
    lead = next(k for k, body in enumerate(draft.bodies) if body.speed_name == leader)
    return leader, multiplier, offset + turns[i] - multiplier * turns[lead]


def _body(draft: Draft, i: int, follows: tuple[str | int, Scalar, Scalar] | None) -> Body:
    body, inertia = draft.bodies[i], draft.inertias[i]
    return RegroupedBody(
        body.name,
        body.parent,
        body.joint,
        body.axis,
        body.rotation,
        body.position,
        inertia.mass,
        ZERO,
        inertia.tensor,
        effective=True,
        joint_name=body.joint_name,
        follows=follows,
        axis2=body.axis2,
        pitch=body.pitch,
        regrouped=inertia,
    )


def _stretched(spring: Spring, mech: Mechanism, offsets: Sequence[float]) -> Spring:
    """The spring with its rest moved by as much as the coordinates are."""
    where = mech.layout.coordinate_of
    moved = sum((factor * offsets[where[index]] for index, factor in spring.terms), 0.0)
    return replace(spring, rest=spring.rest + moved)
