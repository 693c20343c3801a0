"""Actuators of a compiled MJCF model as drives, or as motors of tendons where they move several joints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gearwright.files.mjcf_cords import Courses
from gearwright.files.mjcf_dcmotor import dc_motor
from gearwright.files.mjcf_equalities import JointRow
from gearwright.files.mjcf_names import Names
from gearwright.files.mjcf_source import mujoco_module
from gearwright.files.mjcf_tendons import named
from gearwright.parts import Cord, Drive, Gear, Motor, PassiveSpring, Servo, Tendon

Lose = Callable[[str, str, str], None]
NOT_DRIVEN = "what it drives moves without it"


@dataclass(frozen=True)
class Actuators:
    """What the actuators of a model become."""

    drives: list[Drive]
    tendons: list[Tendon]
    dampers: list[PassiveSpring]
    cords: list[Cord]


class ActuatorReader:
    """Reads the actuators of a model."""

    def __init__(
        self,
        model: Any,
        names: Names,
        rows: Mapping[int, JointRow],
        courses: Courses,
        single: set[int],
        lose: Lose,
    ) -> None:
        self.model, self.names, self.rows, self.courses = model, names, rows, courses
        self.single, self.lose = single, lose

    def read(self, off: frozenset[str]) -> Actuators:
        """All that can be stated; the rest is reported."""
        made = Actuators([], [], [], [])
        for i in range(_count(self.model) if "actuation" not in off else 0):
            if self._pulls_a_cord(i):
                self._add_cord(made, i, "damper" not in off)
                self._report(i, "damper" not in off)
                continue
            row = self._row(i)
            if isinstance(row, str):
                self.lose(row, self.names.of("actuator", i), NOT_DRIVEN)
                continue
            self._add(made, i, row, "damper" not in off)
            self._report(i, "damper" not in off)
        return made

    def _report(self, i: int, damped: bool) -> None:
        """Report what the actuator states and neither a motor nor a servo has."""
        m, name = self.model, self.names.of("actuator", i)
        stated = {
            "a delay": (_of(m, "actuator_delay", i), "its input comes at once"),
            "a range of its activation": (m.actuator_actlimited[i], "its filtered input has no range"),
            "a damping of higher order": (damped and _of(m, "actuator_dampingpoly", i), "only the linear part is kept"),
        }
        for word, (found, lost) in stated.items():
            if found:
                self.lose(f"actuator with {word}", name, lost)
        if m.opt.disableactuator & (1 << int(m.actuator_group[i])):
            self.names.found.note(f"actuator {name!r} is in a group that the file disables; here it can be driven")

    def _add(self, made: Actuators, i: int, row: JointRow, damped: bool) -> None:
        kind = self._kind(i)
        if kind is None:
            return
        motor, servo = kind
        name = self.names.among("drives", self.names.of("actuator", i))
        if len(row) == 1:
            ((joint, ratio),) = row.items()
            title = self.names.joints[joint]
            drive = Drive(title, motor, Gear(ratio), name=None if name == title else name, servo=servo)
            made.drives.append(drive)
        else:
            made.tendons.append(Tendon(name, named(self.names, row), 0.0, motor, servo))
        damping = self._damping(i)
        if damping and damped:
            made.dampers.append(PassiveSpring(self.names.among("springs", name), named(self.names, row), 0.0, damping))

    def _pulls_a_cord(self, i: int) -> bool:
        spatial = int(self.model.actuator_trntype[i]) == self._transmissions["tendon"]
        return spatial and int(self.model.actuator_trnid[i][0]) in self.courses and bool(self.model.actuator_gear[i][0])

    def _add_cord(self, made: Actuators, i: int, damped: bool) -> None:
        """A motor along a spatial tendon: a cord of its own on the same way."""
        kind = self._kind(i)
        if kind is None:
            return
        motor, servo = kind
        gear, damping = float(self.model.actuator_gear[i][0]), self._damping(i) if damped else 0.0
        name = self.names.among("cords", self.names.among("drives", self.names.of("actuator", i)))
        course = self.courses[int(self.model.actuator_trnid[i][0])]
        made.cords.append(Cord(name, course, damping=damping * gear * gear, motor=motor, ratio=gear, servo=servo))

    def _damping(self, i: int) -> float:
        return float(getattr(self.model, "actuator_damping", [0.0] * (i + 1))[i])

    def _row(self, i: int) -> JointRow | str:
        """What the actuator turns per unit of each joint's coordinate; or what kind of transmission it has instead."""
        m, kinds = self.model, self._transmissions
        kind, target = int(m.actuator_trntype[i]), int(m.actuator_trnid[i][0])
        gear = float(m.actuator_gear[i][0])
        if kind in (kinds["joint"], kinds["jointinparent"]):
            if target not in self.single:
                return "actuator of a joint without a coordinate of its own (free, ball or held)"
            row = {target: gear}
        elif kind == kinds["tendon"] and target in self.rows:
            row = {joint: gear * x for joint, x in self.rows[target].items() if joint in self.single}
        else:
            return f"actuator with the transmission {self._name(kind, target)}"
        row = {joint: x for joint, x in row.items() if x}
        return row or "actuator with a gear of 0"

    @cached_property
    def _transmissions(self) -> dict[str, int]:
        kinds = mujoco_module().mjtTrn
        words = ("joint", "jointinparent", "slidercrank", "tendon", "site", "body", "so3")
        return {w: int(getattr(kinds, f"mjTRN_{w.upper()}")) for w in words if hasattr(kinds, f"mjTRN_{w.upper()}")}

    def _name(self, kind: int, target: int) -> str:
        name = next((word for word, k in self._transmissions.items() if k == kind), "unknown")
        return "spatial tendon" if name == "tendon" else name

    def _kind(self, i: int) -> tuple[Motor, Servo | None] | None:
        """The motor and what drives it; None, and a report, where there is no word for it."""
        m, mujoco = self.model, mujoco_module()
        gain, bias, dynamics = (int(x[i]) for x in (m.actuator_gaintype, m.actuator_biastype, m.actuator_dyntype))
        name = self.names.of("actuator", i)
        if hasattr(mujoco.mjtGain, "mjGAIN_DCMOTOR") and gain == mujoco.mjtGain.mjGAIN_DCMOTOR:
            return dc_motor(m, i, name, self.lose), None
        plain = gain == mujoco.mjtGain.mjGAIN_FIXED and bias in (
            mujoco.mjtBias.mjBIAS_NONE,
            mujoco.mjtBias.mjBIAS_AFFINE,
        )
        if not plain:
            muscle = gain == mujoco.mjtGain.mjGAIN_MUSCLE or bias == mujoco.mjtBias.mjBIAS_MUSCLE
            kind = "muscle" if muscle else "actuator whose gain depends on the motion, or of a kind of its own"
            self.lose(kind, name, NOT_DRIVEN)
            return None
        if int(getattr(m, "actuator_plugin", [-1] * (i + 1))[i]) >= 0:
            self.lose("actuator of a plugin", name, NOT_DRIVEN)
            return None
        filters = (mujoco.mjtDyn.mjDYN_FILTER, mujoco.mjtDyn.mjDYN_FILTEREXACT)
        if dynamics != mujoco.mjtDyn.mjDYN_NONE and dynamics not in filters:
            self.lose("actuator whose input is integrated", name, "its servo is read as if its input came directly")
        return self._affine(i, bias == mujoco.mjtBias.mjBIAS_AFFINE, dynamics in filters)

    def _affine(self, i: int, affine: bool, filtered: bool) -> tuple[Motor, Servo | None]:
        """Torque = gain u + offset - kp l - kv dl/dt, in which a bare motor has the gain alone."""
        m = self.model
        gain = float(m.actuator_gainprm[i][0])
        offset, kp, kv = (float(x) for x in m.actuator_biasprm[i][:3]) if affine else (0.0, 0.0, 0.0)
        torque = _range(m.actuator_forcelimited[i], m.actuator_forcerange[i])
        control = int(m.actuator_ctrladr[i]) if hasattr(m, "actuator_ctrladr") else i
        limits = _range(m.actuator_ctrllimited[control], m.actuator_ctrlrange[control])
        inertia = float(m.actuator_armature[i])
        plain = not (offset or kp or kv or filtered) and gain == 1.0
        ends = [r for r in (torque, limits if plain else None) if r is not None]
        largest = min((max(abs(low), abs(high)) for low, high in ends), default=None)
        motor = Motor(inertia, coupling=0.0, included=True, max_torque=largest)
        if plain and all(low == -high for low, high in ends):
            return motor, None
        time = float(m.actuator_dynprm[i][0]) if filtered else 0.0
        usual = gain == (-kp or -kv)
        return motor, Servo(-kp + 0.0, -kv + 0.0, None if usual else gain, offset, torque, limits, time)


def _of(model: Any, field: str, i: int) -> bool:
    """Whether a field that older versions of MuJoCo lack is stated."""
    return hasattr(model, field) and bool(getattr(model, field)[i].any())


def _range(limited: Any, ends: Any) -> tuple[float, float] | None:
    return (float(ends[0]), float(ends[1])) if limited else None


def _count(model: Any) -> int:
    """Actuators; their inputs may be more, since MuJoCo 4."""
    return int(getattr(model, "nactuator", model.nu))
