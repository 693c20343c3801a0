"""Rules on inertias: tensors of links, armatures, and reflected off-diagonal elements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from gearwright.algebra import Tensor
from gearwright.analysis.model_audit.findings import AuditFinding
from gearwright.analysis.model_audit.joint_data import JointData, ModelData
from gearwright.parts import Link
from gearwright.parts.checks import tensor_defect
from gearwright.text import listed_names

ARMATURE_TOLERANCE = 0.1
"""Relative deviation of an armature from the reflected inertia that is reported."""
NEGLIGIBLE_ARMATURE = 0.01
"""Share of the joint's inertia below which a missing armature is not reported."""
COUPLED_SHARE = 0.05
"""Off-diagonal reflected inertia, relative to the geometric mean of the diagonal elements, that counts."""
COUPLING_TOLERANCE = 0.5
"""Relative deviation of such an element that is reported."""


def link_findings(links: Iterable[Link], skip_effective: bool) -> Iterator[AuditFinding]:
    """Yield links whose mass or tensor no body can have."""
    for link in links:
        if skip_effective and link.effective:
            continue
        yield from body_findings(f"link {link.name!r}", float(link.mass), Tensor.from_rows(link.inertia))


def body_findings(part: str, mass: float, inertia: Tensor) -> Iterator[AuditFinding]:
    """Yield the defects of a body: a mass that is not positive, a tensor that no body can have."""
    moments = np.linalg.eigvalsh(np.array(inertia.rows(), dtype=float))
    if mass < 0 or (mass == 0 and moments.max() > 0):
        yield AuditFinding(
            "inertia",
            part,
            f"its mass is {mass:g} kg, with moments of inertia up to {moments.max():.4g} kg m2.",
            mass,
            None,
            "kg",
            "Give the mass of the body.",
        )
    defect = tensor_defect(inertia)
    if defect is not None:
        yield AuditFinding(
            "inertia",
            part,
            f"no body has its inertia: {defect}",
            float(moments[2]),
            float(moments[0] + moments[1]),
            "kg m2",
            "Recompute the tensor about the centre of mass, in the stated axes and in kg m2.",
        )


def armature_findings(
    stated: Mapping[str, JointData], true: Mapping[str, JointData], inertias: Mapping[str, float]
) -> Iterator[AuditFinding]:
    """Yield armatures that contradict rotor and ratio.

    Args:
        stated: data of the model.
        true: data from which the armature follows, by the same joints.
        inertias: largest inertia at each joint, without its drive [kg m2].
    """
    for name, data in stated.items():
        other = true.get(name)
        expected = None if other is None else _expected_armature(other)
        if data.armature is None or data.armature < 0 or other is None or expected is None:
            continue
        if abs(data.armature - expected) <= ARMATURE_TOLERANCE * max(expected, data.armature):
            continue
        if data.armature == 0 and expected < NEGLIGIBLE_ARMATURE * (inertias.get(name, 0.0) + expected):
            continue
        yield AuditFinding(
            "armature",
            f"joint {name!r}",
            f"the armature is {data.armature:.4g} {data.inertia_unit}, rotor and ratio give {expected:.4g} "
            f"{data.inertia_unit}{_armature_cause(data.armature, expected, other)}.",
            data.armature,
            expected,
            data.inertia_unit,
            f"Set the armature to {expected:.4g}.",
        )


def _expected_armature(data: JointData) -> float | None:
    """Return the reflected inertia of the joint's wheels; from rotor and ratio if only these are known."""
    if data.rotor_inertia is not None and data.ratio is not None and data.armature is None:
        return data.rotor_inertia * data.ratio**2
    return data.armature


def _armature_cause(armature: float, expected: float, data: JointData) -> str:
    if expected == 0:
        return " (no rotor turns with the joint)"
    n = abs(data.ratio) if data.ratio else 1.0
    causes = {
        "the rotor is missing": 0.0,
        f"the ratio {n:g} is missing": 1 / n**2,
        f"the ratio {n:g} enters once instead of squared": 1 / n,
        "the rotor is counted twice": 2.0,
        "the rotor is counted half": 0.5,
        f"the ratio {n:g} enters once too often": n,
        f"the reflected inertia is reflected again by the ratio {n:g}": n * n,
        "the number is in kg cm2": 1e4,
        "the number is in g cm2": 1e7,
    }
    matching = [
        text
        for text, factor in causes.items()
        if abs(armature - factor * expected) <= 0.02 * max(factor * expected, 1e-12 * expected)
    ]
    return f" ({matching[0]})" if matching else f" ({armature / expected:.3g} times)"


def doubled_findings(model: ModelData, armatures: Mapping[str, float]) -> Iterator[AuditFinding]:
    """Yield joints whose own armature repeats the rotor of their drive.

    Args:
        model: the audited model.
        armatures: armature of the joint itself [kg m2].
    """
    for name, data in model.joints.items():
        armature = armatures.get(name, 0.0)
        if not armature or data.rotor_inertia is None or data.ratio is None:
            continue
        reflected = data.rotor_inertia * data.ratio**2
        if abs(armature - reflected) <= ARMATURE_TOLERANCE * reflected:
            yield AuditFinding(
                "armature",
                f"joint {name!r}",
                f"the joint has the armature {armature:.4g} {data.inertia_unit}, and its actuator the rotor "
                f"{data.rotor_inertia:.4g} kg m2 at ratio {data.ratio:g}, which is {reflected:.4g} "
                f"{data.inertia_unit} again (the rotor is counted twice).",
                armature + reflected,
                reflected,
                data.inertia_unit,
                "Keep one of the two.",
            )


def coupling_findings(model: ModelData, true: ModelData, names: Mapping[str, str]) -> Iterator[AuditFinding]:
    """Yield pairs of joints whose reflected off-diagonal inertia the model lacks."""
    if true.reflected is None or not true.speeds:
        return
    common = [(a, true.speeds.index(b)) for a, b in names.items() if b in true.speeds]
    for i, (first, p) in enumerate(common):
        for second, r in common[i + 1 :]:
            scale = float(np.sqrt(true.reflected[p, p] * true.reflected[r, r]))
            expected, stated = float(true.reflected[p, r]), _stated_element(model, first, second)
            if abs(expected) > COUPLED_SHARE * scale and abs(stated - expected) > COUPLING_TOLERANCE * abs(expected):
                yield AuditFinding(
                    "coupling",
                    f"joints {first!r} and {second!r}",
                    f"the reflected inertia between them is {stated:.4g} kg m2, that of the motors {expected:.4g} "
                    f"kg m2, {abs(expected) / scale:.0%} of the diagonal elements.",
                    stated,
                    expected,
                    "kg m2",
                    "Give the rotor to the coupled transmission (MuJoCo: armature of a fixed tendon), not to the "
                    "joints.",
                )


def _stated_element(model: ModelData, first: str, second: str) -> float:
    if model.reflected is None or first not in model.speeds or second not in model.speeds:
        return 0.0
    return float(model.reflected[model.speeds.index(first), model.speeds.index(second)])


def uncoupled_armature_findings(model: ModelData, armatures: Mapping[str, float]) -> Iterator[AuditFinding]:
    """Yield coupled transmissions whose joints have armatures, although their motors turn several joints.

    Args:
        model: the audited model.
        armatures: armature stated per joint [kg m2].
    """
    for motor, row in model.motor_rows.items():
        moved = [name for name, n in row.items() if n and armatures.get(name)]
        if len(moved) < 2:
            continue
        first, second = moved[:2]
        stated = _stated_element(model, first, second)
        if stated:
            continue
        # The smallest rotor that could stand behind both armatures.
        J = min(armatures[name] / row[name] ** 2 for name in (first, second))
        yield AuditFinding(
            "coupling",
            f"motor {motor!r} of joints {listed_names(moved)}",
            f"the joints have the armatures {', '.join(f'{armatures[x]:.4g}' for x in moved)} kg m2 and no inertia "
            f"between them; a rotor of this motor adds up to {J * row[first] * row[second]:.4g} kg m2 there.",
            stated,
            J * row[first] * row[second],
            "kg m2",
            "State the rotor at the motor (MuJoCo: armature of the tendon or its actuator), not at the joints.",
        )
