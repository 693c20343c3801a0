"""Actuators of a compiled MJCF model as drives, or as motors of tendons where they move several joints.

MuJoCo's `dcmotor` becomes a motor with winding, friction, cogging and thermal data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gearwright.files.mjcf.cords import Courses
from gearwright.files.mjcf.equalities import JointRow
from gearwright.files.mjcf.names import Names
from gearwright.files.mjcf.source import mujoco_module
from gearwright.files.mjcf.tendons import named
from gearwright.parts import Cogging, Cord, Drive, Friction, Gear, Heat, Motor, PassiveSpring, Servo, Tendon
from gearwright.parts.drives.thermal import ZERO_CELSIUS

# DC motors

VOLTAGE = 8
"""The bit of a dcmotor's input that is a voltage."""


def dc_motor(model: Any, i: int, name: str, lose: Callable[[str, str, str], None]) -> Motor:
    """The motor; its controller is reported.

    The layout is that of MuJoCo's compiled model:

    - gain: R, K, temperature coefficient, its reference, kp, ki, kd, largest voltage;
    - bias: cogging amplitude, periods, phase, Coulomb and static friction, Stribeck speed;
    - dynamics: L/R, largest rate of current, thermal resistance, capacity, ambient temperature, stiffness and damping
      of bristles, slew, largest current.
    """
    gain, bias, dyn = (
        [float(x) for x in values[i]]
        for values in (model.actuator_gainprm, model.actuator_biasprm, model.actuator_dynprm)
    )
    inputs = int(getattr(model, "actuator_ctrlspec", [VOLTAGE] * (i + 1))[i])
    if any(gain[4:7]) or inputs & ~VOLTAGE:
        lose("dcmotor with a controller", name, "its motor is kept and driven by a voltage; the gains are left out")
    low, high = (float(x) for x in model.actuator_forcerange[i])
    return Motor(
        float(model.actuator_armature[i]),
        coupling=0.0,
        included=True,
        torque_constant=gain[1] or None,
        resistance=gain[0] or None,
        inductance=dyn[0] * gain[0] or None,
        max_torque=max(abs(low), abs(high)) if model.actuator_forcelimited[i] else None,
        max_current=dyn[8] or None,
        max_current_rate=(dyn[1] or None) if dyn[0] else None,
        max_voltage=(gain[7] or None) if inputs & ~VOLTAGE else None,
        cogging=Cogging(*bias[:3]) if bias[0] else None,
        friction=_bristles(dyn[5], dyn[6], *bias[3:6]),
        heat=_heat(*dyn[2:5], *gain[2:4]),
    )


def _bristles(stiffness: float, damping: float, coulomb: float, static: float, speed: float) -> Friction | float:
    if not stiffness:
        return 0.0
    drops = static > coulomb and speed > 0
    more = {"static": static, "stribeck_speed": speed} if drops else {}
    return Friction(coulomb, stiffness=stiffness, damping=damping, **more)


def _heat(resistance: float, capacity: float, ambient: float, coefficient: float, reference: float) -> Heat | None:
    if not resistance or not capacity:
        return None
    celsius = {"reference": reference + ZERO_CELSIUS, "ambient": ambient + ZERO_CELSIUS}
    return Heat(winding_housing=resistance, winding_capacity=capacity, copper=coefficient, **celsius)


# Actuators

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
