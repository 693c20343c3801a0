"""Fixed tendons of a compiled MJCF model as springs, inertias and rows of motors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gearwright.files.mjcf.equalities import JointRow
from gearwright.files.mjcf.names import Names
from gearwright.files.mjcf.source import mujoco_module
from gearwright.parts import PassiveSpring, Tendon

Lose = Callable[[str, str, str], None]


def fixed_rows(model: Any) -> dict[int, JointRow]:
    """Per fixed tendon its coefficients by joint."""
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


def named(names: Names, row: Mapping[int, float], factor: float = 1.0) -> dict[str, float]:
    """A row over joints by their names."""
    return {names.joints[joint]: factor * x for joint, x in row.items()}


def springs(
    model: Any, names: Names, rows: Mapping[int, JointRow], held: Mapping[int, float], off: frozenset[str], lose: Lose
) -> list[PassiveSpring]:
    """The springs and dampers of fixed tendons; `held` is what joints that do not move add to each length."""
    made = []
    for t, row in rows.items():
        stiffness = float(model.tendon_stiffness[t]) if "spring" not in off else 0.0
        damping = float(model.tendon_damping[t]) if "damper" not in off else 0.0
        low, high = (float(x) for x in model.tendon_lengthspring[t])
        if stiffness and low != high:
            lose("tendon with a slack spring", names.of("tendon", t), "its spring is left out: it is not linear")
            stiffness = 0.0
        if row and (stiffness or damping):
            name = names.among("springs", names.of("tendon", t))
            made.append(PassiveSpring(name, named(names, row), stiffness, damping, low - held[t] if stiffness else 0.0))
    return made


def inertias(model: Any, names: Names, rows: Mapping[int, JointRow]) -> list[Tendon]:
    """The armatures of fixed tendons."""
    heavy = [(t, row) for t, row in rows.items() if row and model.tendon_armature[t]]
    for t, row in heavy:
        if _branches(model, row):
            names.found.note(
                f"tendon {names.of('tendon', t)!r} couples joints of different branches, which MuJoCo leaves out"
            )
    return [
        Tendon(names.among("drives", names.of("tendon", t)), named(names, row), float(model.tendon_armature[t]))
        for t, row in heavy
    ]


def _branches(model: Any, row: Mapping[int, float]) -> bool:
    """Whether a row joins joints of which neither carries the other."""
    chains = [_chain(model, int(model.jnt_bodyid[joint])) for joint in row]
    return any(a[0] not in b and b[0] not in a for a in chains for b in chains)


def _chain(model: Any, body: int) -> list[int]:
    """A body and those that carry it."""
    found = [body]
    while found[-1]:
        found.append(int(model.body_parentid[found[-1]]))
    return found


def report_on_tendons(model: Any, names: Names, rows: Mapping[int, JointRow], off: frozenset[str], lose: Lose) -> None:
    """Report what tendons state beyond what springs, inertias and cords have."""
    for t in range(model.ntendon):
        fixed = t in rows
        stated = {
            "limits": fixed and model.tendon_limited[t] and "limit" not in off,
            "friction loss": fixed and model.tendon_frictionloss[t] and "frictionloss" not in off,
            "stiffness of higher order": _higher(model, "tendon_stiffnesspoly", t) and "spring" not in off,
            "damping of higher order": _higher(model, "tendon_dampingpoly", t) and "damper" not in off,
            "a spring that yields": _higher(model, "tendon_springyield", t) and "spring" not in off,
            "a range of actuator forces": bool(model.tendon_actfrclimited[t]) and "actuation" not in off,
        }
        for word in (word for word, x in stated.items() if x):
            lose(f"tendon with {word}", names.of("tendon", t), "it moves without it")


def _higher(model: Any, field: str, t: int) -> bool:
    return hasattr(model, field) and bool(getattr(model, field)[t].any())
