"""Wheels in MuJoCo, in three forms.

| form | representation | error |
|---|---|---|
| reflected | J b b' as armatures of actuators, joints and tendons | no reaction of wheels on their carriers |
| diagonal | the diagonal of J b b' as armatures of joints | no reaction and no coupling of joints |
| bodies | a body per wheel with an equality | softness of the equality |
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from gearwright.arrays import Array
from gearwright.export.mujoco.bodies import MassProperties, mass_properties, vector_array
from gearwright.mechanism import BASE, Mechanism, NamedRow, Spin

RotorForm = Literal["reflected", "bodies", "diagonal"]
ROTOR_FORMS: tuple[RotorForm, ...] = ("reflected", "bodies", "diagonal")
UNKNOWN_ROTOR_MASS_RATIO = 1e-6
"""Mass of a rotor with unknown mass, relative to its carrier, from which it is subtracted."""
BASE_ROTOR_MASS = 1e-3
"""Its mass [kg] on the base, where it has no effect."""


@dataclass(frozen=True)
class RotorBody:
    r"""A wheel as a body: inertia $J_c^2/J$ at the rate $(J/J_c) b \cdot v$, which has the wheel's energy and reaction.

    An ordinary wheel has $J_c = J$. `parts` names the wheels that it represents, `shaft` the speed of its hinge, if it
    is the wheel of a shaft.
    """

    name: str
    carrier: int
    axis: Array
    weight: MassProperties
    row: NamedRow
    parts: tuple[str, ...] = ()
    shaft: str | None = None


@dataclass
class ExportedWheels:
    """Representation of the wheels, with rows over the machine's speeds."""

    joints: dict[str, float] = field(default_factory=dict)
    tendons: list[tuple[str, NamedRow, float]] = field(default_factory=list)
    actuators: dict[str, float] = field(default_factory=dict)
    bodies: list[RotorBody] = field(default_factory=list)
    not_representable: list[str] = field(default_factory=list)


def exported_wheels(mech: Mechanism, form: RotorForm, physical: bool = True) -> ExportedWheels:
    """Return the wheels in one of the forms; `physical`: each carrier without its wheels must be a rigid body."""
    wheels = ExportedWheels()
    for spin in mech.spins:
        rotor = _rotor_body(mech, spin) if form == "bodies" else None
        if rotor is not None:
            wheels.bodies.append(rotor)
        elif spin.inertia and form == "diagonal":
            for name, b in _spin_row(mech, spin).items():
                wheels.joints[name] = wheels.joints.get(name, 0.0) + float(spin.inertia) * b * b
        elif spin.inertia:
            _add_reflected(mech, spin, wheels)
    if physical:
        _keep_carriers_physical(mech, wheels)
    _assign_shafts(mech, wheels)
    if form == "reflected":
        wheels.not_representable += [
            f"coupling of different branches by {spin.name!r}" for spin in mech.spins if _spans_branches(mech, spin)
        ]
    return wheels


def _spans_branches(mech: Mechanism, spin: Spin) -> bool:
    """Whether a wheel depends on joints of different branches: MuJoCo supports tendon inertia in one branch only."""
    carriers = {d.speed: i for i, joint in enumerate(mech.joints) for d in joint.dofs if mech.bodies[i].follows is None}
    bodies = [carriers[k] for k, _ in spin.terms if k in carriers]
    if bodies and len(bodies) < len(spin.terms):  # a shaft is not a body of the robot
        return True
    return any(a not in mech.body_paths[b] and b not in mech.body_paths[a] for a in bodies for b in bodies)


def _spin_row(mech: Mechanism, spin: Spin) -> dict[str, float]:
    return {mech.speeds[k]: float(b) for k, b in spin.terms}


def _add_reflected(mech: Mechanism, spin: Spin, wheels: ExportedWheels) -> None:
    """Add J b b' as armature of the actuator, of the joint, or of a tendon."""
    title, _, kind = spin.name.rpartition(".")
    rows = {actuator.name: actuator.row for actuator in mech.actuators}
    row = _spin_row(mech, spin)
    if kind in ("rotor", "tendon") and rows.get(title) == spin.ratio and title not in wheels.actuators:
        wheels.actuators[title] = float(spin.inertia)
    elif len(row) == 1:
        ((name, b),) = row.items()
        wheels.joints[name] = wheels.joints.get(name, 0.0) + float(spin.inertia) * b * b
    else:
        wheels.tendons.append((spin.name, row, float(spin.inertia)))


def _rotor_body(mech: Mechanism, spin: Spin) -> RotorBody | None:
    """Return the wheel as a body; None for one without reaction on its carrier."""
    if not spin.inertia or not spin.coupling_inertia:
        return None
    share = float(spin.inertia / spin.coupling_inertia)
    axial = float(spin.coupling_inertia) / share
    carrier = int(spin.carrier)
    stated_mass = float(spin.rest.mass) if spin.rest is not None else 0.0
    usual = BASE_ROTOR_MASS if carrier == BASE else UNKNOWN_ROTOR_MASS_RATIO * float(mech.bodies[carrier].mass)
    across = max(float(spin.rest.transverse_inertia) if spin.rest is not None else 0.0, axial / 2)
    axis = vector_array(spin.axis)
    tensor = across * np.eye(3) + (axial - across) * np.outer(axis, axis)
    place = vector_array(spin.rest.position) if spin.rest is not None else np.zeros(3)
    row = {name: share * b for name, b in _spin_row(mech, spin).items()}
    return RotorBody(spin.name, carrier, axis, MassProperties(stated_mass or usual, place, tensor), row, (spin.name,))


def carrier_mass_properties(mech: Mechanism, wheels: ExportedWheels, carrier: int) -> MassProperties:
    """Return the inertia of a link without the wheels that are separate bodies."""
    left = mass_properties(mech.bodies[carrier])
    for rotor in wheels.bodies:
        if rotor.carrier == carrier:
            left = left.without_body(rotor.weight)
    return left


def _keep_carriers_physical(mech: Mechanism, wheels: ExportedWheels) -> None:
    """Merge parallel wheels, or keep them reflected, where a carrier without them would not be a rigid body."""
    for carrier in sorted({rotor.carrier for rotor in wheels.bodies if rotor.carrier != BASE}):
        if not _is_physical(mech, wheels, carrier):
            wheels.bodies = _join_parallel(mech, wheels.bodies, carrier)
        if _is_physical(mech, wheels, carrier):
            continue
        gone = [name for rotor in wheels.bodies if rotor.carrier == carrier for name in rotor.parts]
        wheels.bodies = [rotor for rotor in wheels.bodies if rotor.carrier != carrier]
        for spin in mech.spins:
            if spin.name in gone:
                _add_reflected(mech, spin, wheels)
        wheels.not_representable.append(
            f"the reaction of {', '.join(map(repr, gone))} on {mech.bodies[carrier].name!r}, which without them would "
            "be no rigid body: they are armatures"
        )


def _is_physical(mech: Mechanism, wheels: ExportedWheels, carrier: int) -> bool:
    """Whether MuJoCo accepts a link without its wheels; a fixed link may have no inertia left."""
    left = carrier_mass_properties(mech, wheels, carrier)
    empty = left.mass >= 0 and bool(np.linalg.eigvalsh(left.tensor)[0] >= -1e-15)
    return left.is_accepted() or (mech.bodies[carrier].joint == "fixed" and empty)


def _join_parallel(mech: Mechanism, bodies: list[RotorBody], carrier: int) -> list[RotorBody]:
    r"""Return the wheels with parallel ones of a link at proportional rates merged.

    Rates $k_j b \cdot v$ with inertias $J_j$ have the energy and reaction of one wheel with inertia
    $(\sum J_j k_j)^2 / \sum J_j k_j^2$ at the rate $(\sum J_j k_j^2 / \sum J_j k_j) b \cdot v$, which is lighter.
    """
    untouched, groups = [], list[list[RotorBody]]()
    for rotor in bodies:
        if rotor.carrier != carrier:
            untouched.append(rotor)
            continue
        group = next((g for g in groups if _relative_rate(g[0], rotor) is not None), None)
        if group is None:
            groups.append([rotor])
        else:
            group.append(rotor)
    return [*untouched, *(rotor for group in groups for rotor in _joined_rotors(mech, group))]


def _relative_rate(first: RotorBody, second: RotorBody) -> float | None:
    """Return the other's rate about the first one's axis, relative to the first; None if not proportional."""
    cosine = float(first.axis @ second.axis)
    if abs(abs(cosine) - 1) > 1e-12 or set(first.row) != set(second.row):
        return None
    ratios = [second.row[name] / b for name, b in first.row.items()]
    return round(cosine) * ratios[0] if max(ratios) - min(ratios) <= 1e-12 * abs(ratios[0]) else None


def _joined_rotors(mech: Mechanism, group: list[RotorBody]) -> list[RotorBody]:
    first = group[0]
    rates = [_relative_rate(first, rotor) or 0.0 for rotor in group]
    inertias = [_axial_inertia(rotor) for rotor in group]
    push = sum(J * k for J, k in zip(inertias, rates, strict=True))
    energy = sum(J * k * k for J, k in zip(inertias, rates, strict=True))
    if len(group) == 1 or abs(push) <= 1e-9 * sum(J * abs(k) for J, k in zip(inertias, rates, strict=True)):
        return group
    axial = push * push / energy
    light = UNKNOWN_ROTOR_MASS_RATIO * float(mech.bodies[first.carrier].mass)
    tensor = axial / 2 * (np.eye(3) + np.outer(first.axis, first.axis))
    row = {name: energy / push * b for name, b in first.row.items()}
    name = " and ".join(rotor.name for rotor in group)
    weight = MassProperties(light, first.weight.com, tensor)
    return [RotorBody(name, first.carrier, first.axis, weight, row, _part_names(group))]


def _axial_inertia(rotor: RotorBody) -> float:
    return float(rotor.axis @ rotor.weight.tensor @ rotor.axis)


def _part_names(group: list[RotorBody]) -> tuple[str, ...]:
    return tuple(name for rotor in group for name in rotor.parts)


def _assign_shafts(mech: Mechanism, wheels: ExportedWheels) -> None:
    """Use the hinge of a wheel that turns with one shaft only as that shaft, without an equality."""
    for shaft in mech.shafts:
        alone = [rotor for rotor in wheels.bodies if set(rotor.row) == {shaft}]
        if alone:
            best = max(alone, key=lambda rotor: _axial_inertia(rotor) * rotor.row[shaft] ** 2)
            wheels.bodies = [replace(rotor, shaft=shaft) if rotor is best else rotor for rotor in wheels.bodies]
