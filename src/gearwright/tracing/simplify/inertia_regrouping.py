"""Regrouping of inertial parameters that only act in combination (base parameters).

A part of a body that is invariant under the motion of its joint may as well belong to the parent: a body with mass,
first moment along the axis and equal transverse inertias (none about the axis) has the same energy in every motion on
either side of a revolute joint, and so has a tensor on either side of a prismatic one (Gautier and Khalil). The
coupling of a wheel along the axis of the joint it drives is a part of that body's own inertia. Energies stay the same,
and so do all forces.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from gearwright.algebra import ZERO, Inertia, Scalar, Tensor, Vec, is_number, is_zero
from gearwright.mechanism import BASE, Spin
from gearwright.mechanism.layout import SpeedLayout
from gearwright.tracing.simplify.editable_machine import EditableMachine, inertia_with_exact_zeros, with_exact_zeros

BODY_Z = Vec(0.0, 0.0, 1.0)


def regroup_inertias(draft: EditableMachine, layout: SpeedLayout) -> EditableMachine:
    """The same machine with as many zero inertial parameters as possible; `layout` numbers its speeds."""
    inertias = list(draft.inertias)
    spins = _regroup_spins(draft, layout, inertias)
    for i in reversed(range(len(inertias))):
        remaining, moved = _split_inertia(draft, i, inertias[i])
        inertias[i] = remaining
        if draft.parent_of(i) != BASE:
            R, p = draft.bodies[i].rotation, draft.bodies[i].position
            inertias[draft.parent_of(i)] = inertias[draft.parent_of(i)] + moved.transformed_by(R, p)
    cleaned = tuple(
        inertia_with_exact_zeros(_without_unobservable_inertia(draft, i, inertia)) for i, inertia in enumerate(inertias)
    )
    return replace(draft, inertias=cleaned, spins=tuple(spins))


def _split_inertia(draft: EditableMachine, i: int, inertia: Inertia) -> tuple[Inertia, Inertia]:
    """The inertia that stays with body i, and the part that its parent can take."""
    h, t = inertia.moment, inertia.tensor
    if draft.bodies[i].kind.is_prismatic:
        return Inertia(inertia.mass, h, Tensor.diagonal(0.0, 0.0, 0.0)), Inertia(0.0, ZERO, t)
    if not draft.bodies[i].kind.is_revolute:
        return inertia, Inertia.zero_inertia()
    # The transverse part whose removal leaves no second moment along the axis: xx + yy = zz afterwards.
    J = 0.5 * (t.xx + t.yy - t.zz)
    xx, yy = t.xx - J, t.yy - J
    moved = Inertia(inertia.mass, Vec(0.0, 0.0, h.z), Tensor.diagonal(J, J, 0.0))
    return Inertia(0.0, Vec(h.x, h.y, 0.0), Tensor(xx, t.xy, t.xz, yy, t.yz, xx + yy)), moved


def _without_unobservable_inertia(draft: EditableMachine, i: int, inertia: Inertia) -> Inertia:
    """The inertia without parameters that no motion of body i excites: a body that never tilts has planar inertia."""
    path = _path_to_base(draft, i)
    if not any(draft.bodies[k].kind.has_rotation for k in path):
        return Inertia(inertia.mass, ZERO, Tensor.diagonal(0.0, 0.0, 0.0))
    if not all(_keeps_z(draft, k) for k in path):
        return inertia
    # About a fixed direction only zz matters; xx = 0, yy = zz expresses it with one second moment instead of two.
    planar = Tensor.diagonal(0.0, inertia.tensor.zz, inertia.tensor.zz)
    h = inertia.moment
    alone_upright = len(path) == 1 and (is_zero(draft.gravity.z) or _is_along_z(draft.bodies[i].rotation @ BODY_Z))
    return Inertia(inertia.mass, ZERO if alone_upright else Vec(h.x, h.y, 0.0), planar)


def _path_to_base(draft: EditableMachine, i: int) -> list[int]:
    path = [i]
    while draft.parent_of(path[-1]) != BASE:
        path.append(draft.parent_of(path[-1]))
    return path


def _keeps_z(draft: EditableMachine, i: int) -> bool:
    """Whether joint i keeps the direction of z in the parent (or the parent is the base)."""
    body = draft.bodies[i]
    parallel = draft.parent_of(i) == BASE or _is_along_z(body.rotation @ BODY_Z)
    return parallel and (body.kind.is_prismatic or (body.kind.is_revolute and _is_along_z(body.axis)))


def _is_along_z(direction: Vec) -> bool:
    """Whether a unit vector is z or -z; the cosine cannot resolve small angles."""
    return is_zero(direction.x) and is_zero(direction.y)


def _regroup_spins(draft: EditableMachine, layout: SpeedLayout, inertias: list[Inertia]) -> list[Spin]:
    """Combine wheels of one speed on one carrier; their coupling along the driven axis is moved to the bodies."""
    coupling = [spin for spin in draft.spins if len(spin.terms) > 1]
    axial, pushes = _inertias_and_pushes(draft)
    driven = {joint.dofs[0].speed: i for i, joint in enumerate(layout.joints) if _leads_speed(draft, i)}
    for (carrier, speed), push in pushes.items():
        if carrier == BASE:
            pushes[carrier, speed] = ZERO  # the base does not rotate: no coupling
        elif speed in driven:
            pushes[carrier, speed] = _without_axial(draft, inertias, driven[speed], carrier, push, axial, speed)
    pushing = {place: push for place, push in pushes.items() if not all(map(is_zero, push))}
    _move_to_base_bodies(draft, inertias, driven, axial, {speed for _, speed in pushing})
    return coupling + _merge_spins(pushing, axial, layout.speeds)


def _inertias_and_pushes(draft: EditableMachine) -> tuple[dict[int, Scalar], dict[tuple[int, int], Vec]]:
    """Of wheels with one speed: inertia per speed, sum of J b^2; coupling per (carrier, speed), sum of axis Jc b."""
    axial: dict[int, Scalar] = {}
    pushes: dict[tuple[int, int], Vec] = {}
    for spin in draft.spins:
        if len(spin.terms) == 1:
            ((speed, ratio),) = spin.terms
            axial[speed] = axial.get(speed, 0.0) + spin.inertia * ratio * ratio
            place = int(spin.carrier), speed
            pushes[place] = pushes.get(place, ZERO) + spin.axis * (spin.coupling_inertia * ratio)
    return axial, pushes


def _move_to_base_bodies(
    draft: EditableMachine,
    inertias: list[Inertia],
    driven: Mapping[int, int],
    axial: dict[int, Scalar],
    pushing_speeds: Collection[int],
) -> None:
    """Move the inertia of a speed to its body about the axis; for bodies on the base both are equivalent."""
    for speed, body in driven.items():
        if speed in axial and draft.parent_of(body) == BASE and speed not in pushing_speeds:
            _add_tensor(inertias, body, Tensor.dyad(BODY_Z, axial.pop(speed)))


def _leads_speed(draft: EditableMachine, i: int) -> bool:
    return draft.bodies[i].kind.is_revolute and draft.bodies[i].follows is None


def _without_axial(
    draft: EditableMachine,
    inertias: list[Inertia],
    body: int,
    carrier: int,
    push: Vec,
    axial: dict[int, Scalar],
    speed: int,
) -> Vec:
    """The coupling of wheels on `carrier` less d times the axis z of the driven joint, with one entry made zero.

    d s (z . w_k) = 1/2 d (z . w_i)^2 - 1/2 d (z . w_k)^2 - 1/2 d s^2 for body i on k turning at s: inertia d about z
    for body i, -d for its parent, -d for the speed; +d if body i itself carries the wheels.
    """
    parent = draft.parent_of(body)
    if carrier not in (body, parent):
        return push
    outward = draft.bodies[body].rotation @ BODY_Z
    axis = BODY_Z if carrier == body else outward
    d, remaining = _without_largest_entry(push, axis)
    left = axial[speed] + d if carrier == body else axial[speed] - d
    if is_number(left):
        left, _ = with_exact_zeros([left, 0.0], abs(axial[speed]))
        if left < 0 or (left == 0 and not all(map(is_zero, remaining))):
            return push  # a coupled wheel has inertia: keep it
    axial[speed] = left
    _add_tensor(inertias, body, Tensor.dyad(BODY_Z, d))
    if parent != BASE:
        _add_tensor(inertias, parent, Tensor.dyad(outward, -d))
    return remaining


def _without_largest_entry(push: Vec, axis: Vec) -> tuple[Scalar, Vec]:
    """The factor d and push - d axis; its entry at the largest entry of the axis is zero."""
    pairs = list(zip(push, axis, strict=True))
    k = max(range(3), key=lambda i: abs(pairs[i][1]))
    d = pairs[k][0] * (1 / pairs[k][1])
    scale = max((abs(x) for x in push if is_number(x)), default=0.0)
    return d, Vec(*with_exact_zeros([0.0 if i == k else x - d * e for i, (x, e) in enumerate(pairs)], scale))


def _add_tensor(inertias: list[Inertia], i: int, tensor: Tensor) -> None:
    inertia = inertias[i]
    inertias[i] = Inertia(inertia.mass, inertia.moment, inertia.tensor + tensor)


def _merge_spins(pushing: dict[tuple[int, int], Vec], axial: dict[int, Scalar], speeds: Sequence[str]) -> list[Spin]:
    """One wheel of ratio 1 per carrier and speed; those of one speed share its inertia evenly."""
    carriers = Counter(speed for _, speed in pushing)
    merged = []
    for (carrier, speed), push in pushing.items():
        name = f"{speeds[speed]}@{carrier}"
        length: Scalar = math.sqrt(push.dot(push)) if all(map(is_number, push)) else 1.0
        share = axial[speed] * (1 / carriers[speed])
        merged.append(Spin(name, carrier, push * (1 / length), share, {speeds[speed]: 1.0}, length))
    for speed, inertia in axial.items():
        if not carriers[speed] and not is_zero(inertia):
            merged.append(Spin(speeds[speed], BASE, BODY_Z, inertia, {speeds[speed]: 1.0}, 0.0))
    return merged
