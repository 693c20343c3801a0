"""What MuJoCo gets of the wheels, in three forms.

| form | what is written | what is lost |
|---|---|---|
| reflected | J b b' as armatures of actuators, joints and tendons | the push of wheels on their carriers |
| diagonal | the diagonal of J b b' as armatures of joints | that, and what couples joints |
| bodies | a body per wheel, held by an equality | nothing but the softness of the equality |
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from gearwright.arrays import Array
from gearwright.export.mujoco.bodies import Weight, array, weight_of
from gearwright.mechanism import Mechanism, Spin
from gearwright.mechanism.rows import NamedRow

Form = Literal["reflected", "bodies", "diagonal"]
FORMS: tuple[Form, ...] = ("reflected", "bodies", "diagonal")
LIGHT = 1e-6
"""Mass of a rotor whose own is not known, relative to its carrier, from which it is taken."""
ALONE = 1e-3
"""Its mass [kg] on the base, where it weighs nothing."""


@dataclass(frozen=True)
class RotorBody:
    r"""A wheel as a body: inertia $J_c^2/J$ at the rate $(J/J_c) b \cdot v$, which has the wheel's energy and push.

    An ordinary wheel has $J_c = J$. `parts` names the wheels it stands for, `shaft` the speed that
    its hinge stands for, if it is the wheel of a shaft.
    """

    name: str
    carrier: int
    axis: Array
    weight: Weight
    row: NamedRow
    parts: tuple[str, ...] = ()
    shaft: str | None = None


@dataclass
class Wheels:
    """What is written of the wheels; numbers along the machine's speeds."""

    joints: dict[str, float] = field(default_factory=dict)
    tendons: list[tuple[str, NamedRow, float]] = field(default_factory=list)
    actuators: dict[str, float] = field(default_factory=dict)
    bodies: list[RotorBody] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)


def wheels_of(mech: Mechanism, form: Form, physical: bool = True) -> Wheels:
    """The wheels of a machine in one of the forms; `physical`: what is left of each carrier must be a body."""
    made = Wheels()
    for spin in mech.spins:
        rotor = _rotor(mech, spin) if form == "bodies" else None
        if rotor is not None:
            made.bodies.append(rotor)
        elif spin.inertia and form == "diagonal":
            for name, b in _row(mech, spin).items():
                made.joints[name] = made.joints.get(name, 0.0) + float(spin.inertia) * b * b
        elif spin.inertia:
            _reflect(mech, spin, made)
    if physical:
        _keep_carriers_physical(mech, made)
    _give_shafts(mech, made)
    if form == "reflected":
        made.lost += [
            f"what {spin.name!r} couples on different branches" for spin in mech.spins if _branches(mech, spin)
        ]
    return made


def _branches(mech: Mechanism, spin: Spin) -> bool:
    """Whether a wheel turns with joints of different branches: MuJoCo adds a tendon's inertia along one branch only."""
    carriers = {d.speed: i for i, joint in enumerate(mech.joints) for d in joint.dofs if mech.bodies[i].follows is None}
    bodies = [carriers[k] for k, _ in spin.terms if k in carriers]
    if bodies and len(bodies) < len(spin.terms):  # a shaft stands beside the robot
        return True
    return any(a not in mech.paths[b] and b not in mech.paths[a] for a in bodies for b in bodies)


def _row(mech: Mechanism, spin: Spin) -> dict[str, float]:
    return {mech.speeds[k]: float(b) for k, b in spin.terms}


def _reflect(mech: Mechanism, spin: Spin, made: Wheels) -> None:
    """J b b' where MuJoCo says it most plainly: at the actuator, at the joint, or along a tendon."""
    title, _, kind = spin.name.rpartition(".")
    rows = {actuator.name: actuator.row for actuator in mech.actuators}
    row = _row(mech, spin)
    if kind in ("rotor", "tendon") and rows.get(title) == spin.ratio and title not in made.actuators:
        made.actuators[title] = float(spin.inertia)
    elif len(row) == 1:
        ((name, b),) = row.items()
        made.joints[name] = made.joints.get(name, 0.0) + float(spin.inertia) * b * b
    else:
        made.tendons.append((spin.name, row, float(spin.inertia)))


def _rotor(mech: Mechanism, spin: Spin) -> RotorBody | None:
    """The wheel as a body; None for one that does not push on its carrier."""
    if not spin.inertia or not spin.coupled:
        return None
    share = float(spin.inertia / spin.coupled)
    axial = float(spin.coupled) / share
    carrier = int(spin.carrier)
    known = float(spin.rest.mass) if spin.rest is not None else 0.0
    usual = ALONE if carrier < 0 else LIGHT * float(mech.bodies[carrier].mass)
    across = max(float(spin.rest.transverse_inertia) if spin.rest is not None else 0.0, axial / 2)
    axis = array(spin.axis)
    tensor = across * np.eye(3) + (axial - across) * np.outer(axis, axis)
    place = array(spin.rest.position) if spin.rest is not None else np.zeros(3)
    row = {name: share * b for name, b in _row(mech, spin).items()}
    return RotorBody(spin.name, carrier, axis, Weight(known or usual, place, tensor), row, (spin.name,))


def carrier_weight(mech: Mechanism, made: Wheels, carrier: int) -> Weight:
    """A link without the wheels that are bodies of their own."""
    left = weight_of(mech.bodies[carrier])
    for rotor in made.bodies:
        if rotor.carrier == carrier:
            left = left.less(rotor.weight)
    return left


def _keep_carriers_physical(mech: Mechanism, made: Wheels) -> None:
    """Where the wheels would leave nothing a body can be, parallel ones become one; else they stay reflected."""
    for carrier in sorted({rotor.carrier for rotor in made.bodies if rotor.carrier >= 0}):
        if not _physical(mech, made, carrier):
            made.bodies = _joined(mech, made.bodies, carrier)
        if _physical(mech, made, carrier):
            continue
        gone = [name for rotor in made.bodies if rotor.carrier == carrier for name in rotor.parts]
        made.bodies = [rotor for rotor in made.bodies if rotor.carrier != carrier]
        for spin in mech.spins:
            if spin.name in gone:
                _reflect(mech, spin, made)
        made.lost.append(
            f"the push of {', '.join(map(repr, gone))} on {mech.bodies[carrier].name!r}, which without them would be "
            "smaller than a body can be: they are armatures"
        )


def _physical(mech: Mechanism, made: Wheels, carrier: int) -> bool:
    """Whether MuJoCo takes what is left of a link; one that does not move on its parent may have nothing left."""
    left = carrier_weight(mech, made, carrier)
    empty = left.mass >= 0 and bool(np.linalg.eigvalsh(left.tensor)[0] >= -1e-15)
    return left.accepted() or (mech.bodies[carrier].joint == "fixed" and empty)


def _joined(mech: Mechanism, bodies: list[RotorBody], carrier: int) -> list[RotorBody]:
    r"""The wheels with parallel ones of a link at proportional rates joined.

    Rates $k_j b \cdot v$ with inertias $J_j$ have the energy and push of one wheel of the inertia
    $(\sum J_j k_j)^2 / \sum J_j k_j^2$ at the rate $(\sum J_j k_j^2 / \sum J_j k_j) b \cdot v$, which is lighter.
    """
    kept, groups = [], list[list[RotorBody]]()
    for rotor in bodies:
        if rotor.carrier != carrier:
            kept.append(rotor)
            continue
        group = next((g for g in groups if _rate(g[0], rotor) is not None), None)
        if group is None:
            groups.append([rotor])
        else:
            group.append(rotor)
    return [*kept, *(rotor for group in groups for rotor in _one_of(mech, group))]


def _rate(first: RotorBody, other: RotorBody) -> float | None:
    """The other's rate about the first one's axis, relative to the first; None where they are not proportional."""
    cosine = float(first.axis @ other.axis)
    if abs(abs(cosine) - 1) > 1e-12 or set(first.row) != set(other.row):
        return None
    ratios = [other.row[name] / b for name, b in first.row.items()]
    return round(cosine) * ratios[0] if max(ratios) - min(ratios) <= 1e-12 * abs(ratios[0]) else None


def _one_of(mech: Mechanism, group: list[RotorBody]) -> list[RotorBody]:
    first = group[0]
    rates = [_rate(first, rotor) or 0.0 for rotor in group]
    inertias = [_axial(rotor) for rotor in group]
    push = sum(J * k for J, k in zip(inertias, rates, strict=True))
    energy = sum(J * k * k for J, k in zip(inertias, rates, strict=True))
    if len(group) == 1 or abs(push) <= 1e-9 * sum(J * abs(k) for J, k in zip(inertias, rates, strict=True)):
        return group
    axial = push * push / energy
    light = LIGHT * float(mech.bodies[first.carrier].mass)
    tensor = axial / 2 * (np.eye(3) + np.outer(first.axis, first.axis))
    row = {name: energy / push * b for name, b in first.row.items()}
    name = " and ".join(rotor.name for rotor in group)
    weight = Weight(light, first.weight.com, tensor)
    return [RotorBody(name, first.carrier, first.axis, weight, row, _parts(group))]


def _axial(rotor: RotorBody) -> float:
    return float(rotor.axis @ rotor.weight.tensor @ rotor.axis)


def _parts(group: list[RotorBody]) -> tuple[str, ...]:
    return tuple(name for rotor in group for name in rotor.parts)


def _give_shafts(mech: Mechanism, made: Wheels) -> None:
    """The hinge of a wheel that turns with one shaft alone stands for that shaft: no equality is needed."""
    for shaft in mech.shafts:
        alone = [rotor for rotor in made.bodies if set(rotor.row) == {shaft}]
        if alone:
            best = max(alone, key=lambda rotor: _axial(rotor) * rotor.row[shaft] ** 2)
            made.bodies = [replace(rotor, shaft=shaft) if rotor is best else rotor for rotor in made.bodies]
