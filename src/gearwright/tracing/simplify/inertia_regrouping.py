"""Parameters that only act in combination, moved to where they cost least.

A part of a body that looks the same however its joint turns may as well belong to the parent: a body with mass, first
moment along the axis and equal transverse inertias (none about the axis) has the same energy in every motion on
either side of a revolute joint; a tensor on either side of a prismatic one (Gautier and Khalil). What a wheel pushes
along the axis of the joint it drives is a part of that body's own inertia. Energies stay the same, so all forces do.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from gearwright.algebra import ZERO, Inertia, Scalar, Tensor, Vec, is_number, is_zero
from gearwright.mechanism import BASE, Spin
from gearwright.mechanism.layout import Layout
from gearwright.tracing.simplify.editable_machine import Draft, clean, clean_inertia

Z = Vec(0.0, 0.0, 1.0)


def regrouped(draft: Draft, layout: Layout) -> Draft:
    """The same machine with as many zeros among its inertias as can be had; `layout` numbers its speeds."""
    inertias = list(draft.inertias)
    spins = _regrouped_spins(draft, layout, inertias)
    for i in reversed(range(len(inertias))):
        kept, moved = _split(draft, i, inertias[i])
        inertias[i] = kept
        if draft.parent(i) != BASE:
            R, p = draft.bodies[i].rotation, draft.bodies[i].position
            inertias[draft.parent(i)] = inertias[draft.parent(i)] + moved.moved(R, p)
    cleaned = tuple(clean_inertia(_without_what_never_shows(draft, i, inertia)) for i, inertia in enumerate(inertias))
    return replace(draft, inertias=cleaned, spins=tuple(spins))


def _split(draft: Draft, i: int, own: Inertia) -> tuple[Inertia, Inertia]:
    """What stays with body i, and what its parent may take."""
    h, t = own.moment, own.tensor
    if draft.bodies[i].kind.slides:
        return Inertia(own.mass, h, Tensor.diagonal(0.0, 0.0, 0.0)), Inertia(0.0, ZERO, t)
    if not draft.bodies[i].kind.hinges:
        return own, Inertia.zero()
    # The transverse share whose removal leaves no second moment along the axis: xx + yy = zz afterwards.
    J = 0.5 * (t.xx + t.yy - t.zz)
    xx, yy = t.xx - J, t.yy - J
    moved = Inertia(own.mass, Vec(0.0, 0.0, h.z), Tensor.diagonal(J, J, 0.0))
    return Inertia(0.0, Vec(h.x, h.y, 0.0), Tensor(xx, t.xy, t.xz, yy, t.yz, xx + yy)), moved


def _without_what_never_shows(draft: Draft, i: int, own: Inertia) -> Inertia:
    """Without what no motion of body i can show: a body that never tilts shows only its planar inertia."""
    path = _path(draft, i)
    if not any(draft.bodies[k].kind.turns for k in path):
        return Inertia(own.mass, ZERO, Tensor.diagonal(0.0, 0.0, 0.0))
    if not all(_keeps_z(draft, k) for k in path):
        return own
    # About a fixed direction only zz counts; xx = 0, yy = zz writes it with one second moment instead of two.
    planar = Tensor.diagonal(0.0, own.tensor.zz, own.tensor.zz)
    h = own.moment
    alone_upright = len(path) == 1 and (is_zero(draft.gravity.z) or _along_z(draft.bodies[i].rotation @ Z))
    return Inertia(own.mass, ZERO if alone_upright else Vec(h.x, h.y, 0.0), planar)


def _path(draft: Draft, i: int) -> list[int]:
    path = [i]
    while draft.parent(path[-1]) != BASE:
        path.append(draft.parent(path[-1]))
    return path


def _keeps_z(draft: Draft, i: int) -> bool:
    """Whether joint i leaves the direction of z as it is in the parent (or the parent is the base)."""
    body = draft.bodies[i]
    parallel = draft.parent(i) == BASE or _along_z(body.rotation @ Z)
    return parallel and (body.kind.slides or (body.kind.hinges and _along_z(body.axis)))


def _along_z(direction: Vec) -> bool:
    """Whether a unit vector is z or -z; the cosine of a small angle would not tell."""
    return is_zero(direction.x) and is_zero(direction.y)


def _regrouped_spins(draft: Draft, layout: Layout, inertias: list[Inertia]) -> list[Spin]:
    """Wheels of one speed on one carrier as one; their push along the driven axis given to the bodies."""
    coupling = [spin for spin in draft.spins if len(spin.terms) > 1]
    axial, pushes = _shares(draft)
    driven = {joint.dofs[0].speed: i for i, joint in enumerate(layout.joints) if _leads(draft, i)}
    for (carrier, speed), push in pushes.items():
        if carrier == BASE:
            pushes[carrier, speed] = ZERO  # the base does not turn: nothing to push
        elif speed in driven:
            pushes[carrier, speed] = _without_axial(draft, inertias, driven[speed], carrier, push, axial, speed)
    pushing = {place: push for place, push in pushes.items() if not all(map(is_zero, push))}
    _give_to_bodies_on_the_base(draft, inertias, driven, axial, {speed for _, speed in pushing})
    return coupling + _merged_spins(pushing, axial, layout.speeds)


def _shares(draft: Draft) -> tuple[dict[int, Scalar], dict[tuple[int, int], Vec]]:
    """Of wheels with one speed: inertia per speed, J b^2 summed; push per (carrier, speed), axis times Jc b summed."""
    axial: dict[int, Scalar] = {}
    pushes: dict[tuple[int, int], Vec] = {}
    for spin in draft.spins:
        if len(spin.terms) == 1:
            ((speed, ratio),) = spin.terms
            axial[speed] = axial.get(speed, 0.0) + spin.inertia * ratio * ratio
            place = int(spin.carrier), speed
            pushes[place] = pushes.get(place, ZERO) + spin.axis * (spin.coupled * ratio)
    return axial, pushes


def _give_to_bodies_on_the_base(
    draft: Draft,
    inertias: list[Inertia],
    driven: Mapping[int, int],
    axial: dict[int, Scalar],
    pushing_speeds: Collection[int],
) -> None:
    """On the base, inertia of a speed and inertia of its body about the axis are the same thing."""
    for speed, body in driven.items():
        if speed in axial and draft.parent(body) == BASE and speed not in pushing_speeds:
            _add_tensor(inertias, body, Tensor.dyad(Z, axial.pop(speed)))


def _leads(draft: Draft, i: int) -> bool:
    return draft.bodies[i].kind.hinges and draft.bodies[i].follows is None


def _without_axial(
    draft: Draft, inertias: list[Inertia], body: int, carrier: int, push: Vec, axial: dict[int, Scalar], speed: int
) -> Vec:
    """The push of wheels on `carrier` less so much (d) along the axis z of the joint they drive that an entry vanishes.

    d s (z . w_k) = 1/2 d (z . w_i)^2 - 1/2 d (z . w_k)^2 - 1/2 d s^2 for body i on k turning at s: inertia d about z
    for body i, -d for its parent, -d for the speed; +d if body i itself carries the wheels.
    """
    parent = draft.parent(body)
    if carrier not in (body, parent):
        return push
    outward = draft.bodies[body].rotation @ Z
    axis = Z if carrier == body else outward
    d, rest = _without_largest(push, axis)
    left = axial[speed] + d if carrier == body else axial[speed] - d
    if is_number(left):
        left, _ = clean([left, 0.0], abs(axial[speed]))
        if left < 0 or (left == 0 and not all(map(is_zero, rest))):
            return push  # a wheel that pushes has inertia: leave it as it is
    axial[speed] = left
    _add_tensor(inertias, body, Tensor.dyad(Z, d))
    if parent != BASE:
        _add_tensor(inertias, parent, Tensor.dyad(outward, -d))
    return rest


def _without_largest(push: Vec, axis: Vec) -> tuple[Scalar, Vec]:
    """The factor d and push - d axis, in which the entry where the axis is largest is zero."""
    pairs = list(zip(push, axis, strict=True))
    k = max(range(3), key=lambda i: abs(pairs[i][1]))
    d = pairs[k][0] * (1 / pairs[k][1])
    scale = max((abs(x) for x in push if is_number(x)), default=0.0)
    return d, Vec(*clean([0.0 if i == k else x - d * e for i, (x, e) in enumerate(pairs)], scale))


def _add_tensor(inertias: list[Inertia], i: int, tensor: Tensor) -> None:
    known = inertias[i]
    inertias[i] = Inertia(known.mass, known.moment, known.tensor + tensor)


def _merged_spins(pushing: dict[tuple[int, int], Vec], axial: dict[int, Scalar], speeds: Sequence[str]) -> list[Spin]:
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
            merged.append(Spin(speeds[speed], BASE, Z, inertia, {speeds[speed]: 1.0}, 0.0))
    return merged
