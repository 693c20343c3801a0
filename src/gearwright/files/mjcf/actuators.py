"""Actuators of a compiled MJCF model as drives, or as motors of tendons where they move several joints.

MuJoCo's `dcmotor` becomes a motor with winding, friction, cogging and thermal data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from gearwright.files.import_report import AddUnrepresentable
from gearwright.files.mjcf.cords import CordCourses
from gearwright.files.mjcf.equalities import JointRow
from gearwright.files.mjcf.names import MjcfNames
from gearwright.files.mjcf.source import mujoco_module
from gearwright.files.mjcf.tendons import row_by_name
from gearwright.parts import Cogging, Cord, Drive, Friction, Gear, Heat, Motor, PassiveSpring, Servo, Tendon
from gearwright.parts.drives.thermal import ZERO_CELSIUS

# DC motors

VOLTAGE_INPUT_BIT = 8
"""The bit of a dcmotor's input that is a voltage."""


def dc_motor(model: Any, i: int, name: str, add_unrepresentable: Callable[[str, str, str], None]) -> Motor:
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
    inputs = int(getattr(model, "actuator_ctrlspec", [VOLTAGE_INPUT_BIT] * (i + 1))[i])
    if any(gain[4:7]) or inputs & ~VOLTAGE_INPUT_BIT:
        add_unrepresentable(
            "dcmotor with a controller",
            name,
            "the motor is kept with a voltage input; the controller gains are ignored",
        )
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
        max_voltage=(gain[7] or None) if inputs & ~VOLTAGE_INPUT_BIT else None,
        cogging=Cogging(*bias[:3]) if bias[0] else None,
        friction=_lugre_friction(dyn[5], dyn[6], *bias[3:6]),
        heat=_thermal_model(*dyn[2:5], *gain[2:4]),
    )


def _lugre_friction(stiffness: float, damping: float, coulomb: float, static: float, speed: float) -> Friction | float:
    if not stiffness:
        return 0.0
    has_stiction = static > coulomb and speed > 0
    bristles = Friction(coulomb, stiffness=stiffness, damping=damping)
    return replace(bristles, static=static, stribeck_speed=speed) if has_stiction else bristles


def _thermal_model(
    resistance: float, capacity: float, ambient: float, coefficient: float, reference: float
) -> Heat | None:
    if not resistance or not capacity:
        return None
    celsius = {"reference": reference + ZERO_CELSIUS, "ambient": ambient + ZERO_CELSIUS}
    return Heat(winding_housing=resistance, winding_capacity=capacity, copper=coefficient, **celsius)


# Actuators

NOT_DRIVEN_CONSEQUENCE = "the driven joint has no actuator"


@dataclass(frozen=True)
class ImportedActuators:
    """The parts made from the actuators of a model."""

    drives: list[Drive]
    tendons: list[Tendon]
    dampers: list[PassiveSpring]
    cords: list[Cord]


class ActuatorReader:
    """Reads the actuators of a model."""

    def __init__(
        self,
        model: Any,
        names: MjcfNames,
        rows: Mapping[int, JointRow],
        routes: CordCourses,
        single: set[int],
        add_unrepresentable: AddUnrepresentable,
    ) -> None:
        self.model, self.names, self.rows, self.routes = model, names, rows, routes
        self.single, self.add_unrepresentable = single, add_unrepresentable

    def read_actuators(self, off: frozenset[str]) -> ImportedActuators:
        """Return the representable parts; the rest is reported."""
        actuators = ImportedActuators([], [], [], [])
        for i in range(_actuator_count(self.model) if "actuation" not in off else 0):
            if self._is_on_cord(i):
                self._add_cord(actuators, i, "damper" not in off)
                self._report_unsupported(i, "damper" not in off)
                continue
            row = self._joint_row(i)
            if isinstance(row, str):
                self.add_unrepresentable(row, self.names.element_name("actuator", i), NOT_DRIVEN_CONSEQUENCE)
                continue
            self._add_drive(actuators, i, row, "damper" not in off)
            self._report_unsupported(i, "damper" not in off)
        return actuators

    def _report_unsupported(self, i: int, damped: bool) -> None:
        """Report properties of the actuator that neither a motor nor a servo has."""
        m, name = self.model, self.names.element_name("actuator", i)
        stated = {
            "a delay": (_is_field_stated(m, "actuator_delay", i), "the input acts without delay"),
            "a range of its activation": (m.actuator_actlimited[i], "the filtered input is unlimited"),
            "a damping of higher order": (
                damped and _is_field_stated(m, "actuator_dampingpoly", i),
                "only the linear part is kept",
            ),
        }
        for word, (is_stated, consequence) in stated.items():
            if is_stated:
                self.add_unrepresentable(f"actuator with {word}", name, consequence)
        if m.opt.disableactuator & (1 << int(m.actuator_group[i])):
            self.names.findings.add_note(
                f"actuator {name!r} is in a group that the file disables; it is active in the robot"
            )

    def _add_drive(self, actuators: ImportedActuators, i: int, row: JointRow, damped: bool) -> None:
        kind = self._motor_and_servo(i)
        if kind is None:
            return
        motor, servo = kind
        name = self.names.unique_name("drives", self.names.element_name("actuator", i))
        if len(row) == 1:
            ((joint, ratio),) = row.items()
            title = self.names.joints[joint]
            drive = Drive(title, motor, Gear(ratio), name=None if name == title else name, servo=servo)
            actuators.drives.append(drive)
        else:
            actuators.tendons.append(Tendon(name, row_by_name(self.names, row), 0.0, motor, servo))
        damping = self._actuator_damping(i)
        if damping and damped:
            actuators.dampers.append(
                PassiveSpring(self.names.unique_name("springs", name), row_by_name(self.names, row), 0.0, damping)
            )

    def _is_on_cord(self, i: int) -> bool:
        spatial = int(self.model.actuator_trntype[i]) == self._transmission_types["tendon"]
        return spatial and int(self.model.actuator_trnid[i][0]) in self.routes and bool(self.model.actuator_gear[i][0])

    def _add_cord(self, actuators: ImportedActuators, i: int, damped: bool) -> None:
        """A motor along a spatial tendon: a separate cord on the same route."""
        kind = self._motor_and_servo(i)
        if kind is None:
            return
        motor, servo = kind
        gear, damping = float(self.model.actuator_gear[i][0]), self._actuator_damping(i) if damped else 0.0
        name = self.names.unique_name("cords", self.names.unique_name("drives", self.names.element_name("actuator", i)))
        route = self.routes[int(self.model.actuator_trnid[i][0])]
        actuators.cords.append(Cord(name, route, damping=damping * gear * gear, motor=motor, ratio=gear, servo=servo))

    def _actuator_damping(self, i: int) -> float:
        return float(getattr(self.model, "actuator_damping", [0.0] * (i + 1))[i])

    def _joint_row(self, i: int) -> JointRow | str:
        """Return the actuator's travel per unit of each joint's coordinate, or the unsupported transmission."""
        m, kinds = self.model, self._transmission_types
        kind, target = int(m.actuator_trntype[i]), int(m.actuator_trnid[i][0])
        gear = float(m.actuator_gear[i][0])
        if kind in (kinds["joint"], kinds["jointinparent"]):
            if target not in self.single:
                return "actuator of a joint without a single independent coordinate (free, ball or constrained)"
            row = {target: gear}
        elif kind == kinds["tendon"] and target in self.rows:
            row = {joint: gear * x for joint, x in self.rows[target].items() if joint in self.single}
        else:
            return f"actuator with the transmission {self._transmission_name(kind, target)}"
        row = {joint: x for joint, x in row.items() if x}
        return row or "actuator with a gear of 0"

    @cached_property
    def _transmission_types(self) -> dict[str, int]:
        kinds = mujoco_module().mjtTrn
        words = ("joint", "jointinparent", "slidercrank", "tendon", "site", "body", "so3")
        return {w: int(getattr(kinds, f"mjTRN_{w.upper()}")) for w in words if hasattr(kinds, f"mjTRN_{w.upper()}")}

    def _transmission_name(self, kind: int, target: int) -> str:
        name = next((word for word, k in self._transmission_types.items() if k == kind), "unknown")
        return "spatial tendon" if name == "tendon" else name

    def _motor_and_servo(self, i: int) -> tuple[Motor, Servo | None] | None:
        """Return the motor and its servo; None, with a report, if they are not representable."""
        m, mujoco = self.model, mujoco_module()
        gain, bias, dynamics = (int(x[i]) for x in (m.actuator_gaintype, m.actuator_biastype, m.actuator_dyntype))
        name = self.names.element_name("actuator", i)
        if hasattr(mujoco.mjtGain, "mjGAIN_DCMOTOR") and gain == mujoco.mjtGain.mjGAIN_DCMOTOR:
            return dc_motor(m, i, name, self.add_unrepresentable), None
        plain = gain == mujoco.mjtGain.mjGAIN_FIXED and bias in (
            mujoco.mjtBias.mjBIAS_NONE,
            mujoco.mjtBias.mjBIAS_AFFINE,
        )
        if not plain:
            muscle = gain == mujoco.mjtGain.mjGAIN_MUSCLE or bias == mujoco.mjtBias.mjBIAS_MUSCLE
            kind = "muscle" if muscle else "actuator with a motion-dependent gain or of a user-defined type"
            self.add_unrepresentable(kind, name, NOT_DRIVEN_CONSEQUENCE)
            return None
        if int(getattr(m, "actuator_plugin", [-1] * (i + 1))[i]) >= 0:
            self.add_unrepresentable("actuator of a plugin", name, NOT_DRIVEN_CONSEQUENCE)
            return None
        filters = (mujoco.mjtDyn.mjDYN_FILTER, mujoco.mjtDyn.mjDYN_FILTEREXACT)
        if dynamics != mujoco.mjtDyn.mjDYN_NONE and dynamics not in filters:
            self.add_unrepresentable(
                "actuator whose input is integrated", name, "its servo is read without the integrator"
            )
        return self._affine_motor(i, bias == mujoco.mjtBias.mjBIAS_AFFINE, dynamics in filters)

    def _affine_motor(self, i: int, affine: bool, filtered: bool) -> tuple[Motor, Servo | None]:
        """Torque = gain u + offset - kp l - kv dl/dt, of which a plain motor has only the gain."""
        m = self.model
        gain = float(m.actuator_gainprm[i][0])
        offset, kp, kv = (float(x) for x in m.actuator_biasprm[i][:3]) if affine else (0.0, 0.0, 0.0)
        torque = _limited_range(m.actuator_forcelimited[i], m.actuator_forcerange[i])
        control = int(m.actuator_ctrladr[i]) if hasattr(m, "actuator_ctrladr") else i
        limits = _limited_range(m.actuator_ctrllimited[control], m.actuator_ctrlrange[control])
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


def _is_field_stated(model: Any, field: str, i: int) -> bool:
    """Whether a field is set that older versions of MuJoCo lack."""
    return hasattr(model, field) and bool(getattr(model, field)[i].any())


def _limited_range(limited: Any, ends: Any) -> tuple[float, float] | None:
    return (float(ends[0]), float(ends[1])) if limited else None


def _actuator_count(model: Any) -> int:
    """The number of actuators; since MuJoCo 4 there may be more inputs."""
    return int(getattr(model, "nactuator", model.nu))
