"""Fixed tendons of a compiled MJCF model as springs, inertias and rows of motors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gearwright.files.import_report import AddUnrepresentable
from gearwright.files.mjcf.equalities import JointRow
from gearwright.files.mjcf.names import MjcfNames
from gearwright.files.mjcf.source import mujoco_module
from gearwright.parts import PassiveSpring, Tendon


def fixed_rows(model: Any) -> dict[int, JointRow]:
    """Return the coefficients of each fixed tendon by joint."""
    wraps, rows = mujoco_module().mjtWrap, {}
    for t in range(model.ntendon):
        places = range(model.tendon_adr[t], model.tendon_adr[t] + model.tendon_num[t])
        if any(model.wrap_type[w] != wraps.mjWRAP_JOINT for w in places):
            continue
        row: JointRow = {}
        for w in places:
            joint = int(model.wrap_objid[w])
            row[joint] = row.get(joint, 0.0) + float(model.wrap_prm[w])
        rows[t] = {joint: x for joint, x in row.items() if x}
    return rows


def row_by_name(names: MjcfNames, row: Mapping[int, float], factor: float = 1.0) -> dict[str, float]:
    """Return a row of joints by their names."""
    return {names.joints[joint]: factor * x for joint, x in row.items()}


def tendon_springs(
    model: Any,
    names: MjcfNames,
    rows: Mapping[int, JointRow],
    held: Mapping[int, float],
    off: frozenset[str],
    add_unrepresentable: AddUnrepresentable,
) -> list[PassiveSpring]:
    """Return the springs and dampers of fixed tendons; `held` is the contribution of fixed joints to each length."""
    passive_springs = []
    for t, row in rows.items():
        stiffness = float(model.tendon_stiffness[t]) if "spring" not in off else 0.0
        damping = float(model.tendon_damping[t]) if "damper" not in off else 0.0
        low, high = (float(x) for x in model.tendon_lengthspring[t])
        if stiffness and low != high:
            add_unrepresentable(
                "tendon with a slack spring",
                names.element_name("tendon", t),
                "its spring is ignored, since it is nonlinear",
            )
            stiffness = 0.0
        if row and (stiffness or damping):
            name = names.unique_name("springs", names.element_name("tendon", t))
            passive_springs.append(
                PassiveSpring(name, row_by_name(names, row), stiffness, damping, low - held[t] if stiffness else 0.0)
            )
    return passive_springs


def tendon_inertias(model: Any, names: MjcfNames, rows: Mapping[int, JointRow]) -> list[Tendon]:
    """Return the armatures of fixed tendons."""
    heavy = [(t, row) for t, row in rows.items() if row and model.tendon_armature[t]]
    for t, row in heavy:
        if _is_across_branches(model, row):
            names.findings.add_note(
                f"tendon {names.element_name('tendon', t)!r} couples joints of different branches, which MuJoCo ignores"
            )
    return [
        Tendon(
            names.unique_name("drives", names.element_name("tendon", t)),
            row_by_name(names, row),
            float(model.tendon_armature[t]),
        )
        for t, row in heavy
    ]


def _is_across_branches(model: Any, row: Mapping[int, float]) -> bool:
    """Whether a row couples joints of different branches."""
    chains = [_ancestor_bodies(model, int(model.jnt_bodyid[joint])) for joint in row]
    return any(a[0] not in b and b[0] not in a for a in chains for b in chains)


def _ancestor_bodies(model: Any, body: int) -> list[int]:
    """Return a body and its ancestors."""
    bodies = [body]
    while bodies[-1]:
        bodies.append(int(model.body_parentid[bodies[-1]]))
    return bodies


def report_unsupported_tendons(
    model: Any,
    names: MjcfNames,
    rows: Mapping[int, JointRow],
    off: frozenset[str],
    add_unrepresentable: AddUnrepresentable,
) -> None:
    """Report properties of tendons that springs, inertias and cords lack."""
    for t in range(model.ntendon):
        fixed = t in rows
        stated = {
            "limits": fixed and model.tendon_limited[t] and "limit" not in off,
            "friction loss": fixed and model.tendon_frictionloss[t] and "frictionloss" not in off,
            "stiffness of higher order": _is_field_stated(model, "tendon_stiffnesspoly", t) and "spring" not in off,
            "damping of higher order": _is_field_stated(model, "tendon_dampingpoly", t) and "damper" not in off,
            "a spring that yields": _is_field_stated(model, "tendon_springyield", t) and "spring" not in off,
            "a range of actuator forces": bool(model.tendon_actfrclimited[t]) and "actuation" not in off,
        }
        for word in (word for word, x in stated.items() if x):
            add_unrepresentable(f"tendon with {word}", names.element_name("tendon", t), "this property is ignored")


def _is_field_stated(model: Any, field: str, t: int) -> bool:
    return hasattr(model, field) and bool(getattr(model, field)[t].any())
