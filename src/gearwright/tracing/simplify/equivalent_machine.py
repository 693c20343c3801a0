"""An equivalent machine with far fewer operations in its equations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from gearwright.algebra import ZERO, Rot, Scalar, is_number, is_zero
from gearwright.mechanism import Body, Mechanism, Spring
from gearwright.mechanism.layout import lay_out
from gearwright.tracing.simplify.editable_machine import EditableMachine, RegroupedBody, merge_fixed_bodies
from gearwright.tracing.simplify.frame_choice import choose_frames
from gearwright.tracing.simplify.inertia_regrouping import regroup_inertias

FRAME_INVARIANT_FUNCTIONS = (
    "inverse_dynamics",
    "forward_dynamics",
    "bias",
    "gravity",
    "mass_matrix",
    "coriolis_matrix",
    "kinetic_energy",
)
"""The functions with the same result for the prepared machine: they depend on forces and energies alone."""

ORTHOGONALITY_TOLERANCE = 1e-13
"""Largest deviation of a rotation from orthogonality, relative to 1, for which new frames do not change results."""


class SimplifiedMachine(NamedTuple):
    """A machine in other frames and with regrouped inertias, with the coordinates q + offsets.

    It has the speeds of the original and the same `FRAME_INVARIANT_FUNCTIONS` functions, with a base at rest and
    without wrenches. Its bodies are not those of the original: positions, reactions and energies of single bodies have
    no meaning.
    """

    mech: Mechanism
    offsets: tuple[float, ...]

    def coordinates_for(self, q: Sequence[Scalar]) -> list[Scalar]:
        """The coordinates of the prepared machine from those of the original."""
        return [x if is_zero(offset) else x + offset for x, offset in zip(q, self.offsets, strict=True)]


def simplify_machine(mech: Mechanism) -> SimplifiedMachine:
    """The machine with the fewest numbers that has the same equations of motion.

    Bodies on fixed joints are merged, frames chosen after Denavit and Hartenberg, inertias regrouped to the base
    parameters, wheels of one speed on one carrier combined. Inertias and ratios may be symbols; a machine with symbols
    among its lengths or directions, or with rotations that are not exactly orthogonal, is returned unchanged.

    >>> from gearwright.mechanism import Body, Spin
    >>> arm = Mechanism([Body("upper", mass=2, com=(0.2, 0, 0))], [Spin("rotor", "base", (0, 0, 1), 1e-4, [100])])
    >>> [x for x in simplify_machine(arm).mech.bodies[0].about_origin.tensor]        # 1e-4 * 100^2 + 2 * 0.2^2 about z
    [0.0, 0.0, 0.0, 1.08, 0.0, 1.08]
    """
    if not _has_numeric_frames(mech) or not any(body.kind.speeds for body in mech.bodies):
        return SimplifiedMachine(mech, (0.0,) * mech.nq)
    draft, turns = choose_frames(merge_fixed_bodies(mech))
    layout = lay_out(draft.bodies, mech.shafts)
    draft = regroup_inertias(draft, layout)
    offsets = [0.0] * mech.nq
    for body, joint, turn in zip(draft.bodies, layout.joints, turns, strict=True):
        if turn and body.follows is None:
            offsets[joint.first] = turn
    bodies = [_regrouped_body(draft, i, _follower_law(draft, i, turns)) for i in range(len(draft.bodies))]
    springs = [_with_shifted_rest(spring, mech, offsets) for spring in mech.springs]
    return SimplifiedMachine(Mechanism(bodies, draft.spins, mech.shafts, springs, (), draft.gravity), tuple(offsets))


def _has_numeric_frames(mech: Mechanism) -> bool:
    frames = [
        x for b in mech.bodies for v in (*_rotation_rows(b.rotation), b.position, b.axis, b.axis2 or ()) for x in v
    ]
    axes = [x for spin in mech.spins for x in spin.axis]
    return all(map(is_number, (*frames, *axes, *mech.gravity))) and all(_is_orthogonal(b.rotation) for b in mech.bodies)


def _rotation_rows(R: Rot) -> tuple[Sequence[Scalar], ...]:
    return R.rows()


def _is_orthogonal(R: Rot) -> bool:
    product = R.after(R.T).rows()
    return all(abs(x - (i == j)) <= ORTHOGONALITY_TOLERANCE for i, row in enumerate(product) for j, x in enumerate(row))


def _follower_law(draft: EditableMachine, i: int, turns: Sequence[float]) -> tuple[str | int, Scalar, Scalar] | None:
    """The coupling of a mimic joint in the new coordinates: its own offset is added, that of its leader removed."""
    follows = draft.bodies[i].follows
    if follows is None:
        return None
    leader, multiplier, offset = follows
    lead = next(k for k, body in enumerate(draft.bodies) if body.speed_name == leader)
    return leader, multiplier, offset + turns[i] - multiplier * turns[lead]


def _regrouped_body(draft: EditableMachine, i: int, follows: tuple[str | int, Scalar, Scalar] | None) -> Body:
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
        origin_inertia=inertia,
    )


def _with_shifted_rest(spring: Spring, mech: Mechanism, offsets: Sequence[float]) -> Spring:
    """The spring with its rest position shifted by the offsets of the coordinates."""
    coordinates = mech.layout.coordinate_of
    shift = sum((factor * offsets[coordinates[index]] for index, factor in spring.terms), 0.0)
    return replace(spring, rest=spring.rest + shift)
