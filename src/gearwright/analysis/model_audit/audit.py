"""`audit`: contradictions in a model by others."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.analysis.model_audit.control_rules import (
    Integration,
    friction_findings,
    gain_findings,
    ratio_findings,
    transmission_findings,
)
from gearwright.analysis.model_audit.findings import Audit, AuditFinding, UncheckedRule
from gearwright.analysis.model_audit.gear_rules import gear_findings, repeated_limit_findings, sign_findings
from gearwright.analysis.model_audit.inertia_rules import (
    armature_findings,
    body_findings,
    coupling_findings,
    doubled_findings,
    link_findings,
    uncoupled_armature_findings,
)
from gearwright.analysis.model_audit.joint_data import JointData, ModelData, configured_data, data_of_robot, merged_data
from gearwright.analysis.model_audit.limit_rules import limit_findings, power_findings
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number
from gearwright.catalogue import Catalogue, load, robot_file, robots
from gearwright.errors import FileError, GearwrightError, GearwrightWarning, InputError
from gearwright.files import ActuatorConfiguration, is_configuration, read_configuration
from gearwright.files.formats import MJCF_ENDINGS
from gearwright.files.reading import YAML_ENDINGS
from gearwright.parts import Robot
from gearwright.text import did_you_mean, listed_names

IMPLICIT_INTEGRATORS = ("IMPLICIT", "IMPLICITFAST")
"""Integrators of MuJoCo that treat the damping of servos implicitly."""


@check_arguments
@dataclass(frozen=True, kw_only=True)
class ModelFileOptions:
    """How `audit` reads the file of a model.

    Args:
        srdf: an SRDF with `rotor_params` of a URDF.
        xacro: expand a xacro, which runs the code in it: only for files that you trust.
        include: folders besides that of the file from which it may include files.

    >>> ModelFileOptions(xacro=True).include
    ()
    """

    srdf: str | Path | None = None
    xacro: bool = False
    include: Sequence[str | Path] = ()


DATA_IN_ONE_FOLDER = ModelFileOptions()


@check_arguments
def audit(
    model: Robot | str | Path,
    against: Robot | None = None,
    catalogue: Catalogue | None = None,
    *,
    actuators: str | Path | None = None,
    joints: Mapping[str, str] | None = None,
    period: float | None = None,
    options: ModelFileOptions = DATA_IN_ONE_FOLDER,
) -> Audit:
    """Return the contradictions in a model, each with its numbers, the rule and the remedy.

    Args:
        model: a robot, a bundled one, an MJCF, URDF, xacro or YAML file, or an actuator configuration (YAML or JSON).
        against: a robot with motors and gears, from which armatures, limits and inertias follow.
        catalogue: known motors, for the largest power of a mass.
        actuators: an actuator configuration that belongs to the model; its numbers replace those of the model.
        joints: joint of the model -> joint of `against`, where their names differ.
        period: of the controller with the stated gains [s]; by default that of the configuration, or the time step of
            an MJCF.
        options: how the file of the model is read.

    >>> import gearwright as gw
    >>> leg = gw.load("mini_cheetah_leg")
    >>> wrong = leg.with_joint("knee", limits=gw.parts.Limits(effort=3.0))
    >>> print(audit(wrong, leg).findings[0].message)
    the effort limit is 3 Nm, the number at the motor side of the ratio 9.33; robot 'mini_cheetah_leg' gives 27.99 Nm, \
a factor of 0.107.
    """
    if period is not None:
        real_number("audit", "period", period, above=0, hint="It is the time between samples [s].")
    return _Auditor(model, against, catalogue, joints or {}).run(actuators, options, period)


class _Auditor:
    """One audit: reads the model, then applies the rules."""

    def __init__(
        self, model: Robot | str | Path, against: Robot | None, catalogue: Catalogue | None, joints: Mapping[str, str]
    ) -> None:
        self.model, self.against, self.catalogue, self.joints = model, against, catalogue, joints
        self.path = None if isinstance(model, Robot) else self._model_path(model)
        self.title = model.name if isinstance(model, Robot) else str(model)
        self.findings: list[AuditFinding] = []
        self.unchecked: list[UncheckedRule] = []
        self.notes: list[str] = []

    @staticmethod
    def _model_path(model: str | Path) -> Path:
        return robot_file(model) if str(model) in robots() else Path(model)

    def run(self, actuators: str | Path | None, options: ModelFileOptions, period: float | None) -> Audit:
        own = self.path is not None and is_configuration(self.path)
        configuration = read_configuration(self.path or "") if own else None
        if actuators is not None:
            if own:
                raise InputError("audit: both files are actuator configurations. Give a robot as the model.")
            configuration = read_configuration(actuators)
        robot = None if own else self._read_robot(options)
        if robot is None and not own:
            return self._result()
        self._check(robot, configuration, period)
        return self._result()

    def _result(self) -> Audit:
        return Audit(self.title, tuple(self.findings), tuple(self.unchecked), tuple(self.notes))

    def _read_robot(self, options: ModelFileOptions) -> Robot | None:
        """Return the robot; None, with findings, if the file contradicts itself."""
        if isinstance(self.model, Robot):
            self.findings += link_findings(self.model.links, skip_effective=True)
            return self.model
        assert self.path is not None
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", GearwrightWarning)
                robot = load(self.model, xacro=options.xacro, include=options.include, srdf=options.srdf)
            self.notes += [str(x.message) for x in caught]
        except FileError as error:
            if self.path.suffix.lower() == ".xacro" and not options.xacro:
                raise  # a missing permission is no property of the model
            self._add_stated_bodies()
            has_findings = bool(self.findings)
            problems = error.problems or ((None, "", str(error)),)
            if not self.path.is_file():
                raise
            for line, path, message in problems:
                if has_findings and "inertia" in message:  # MuJoCo's rejection of a body that is already reported
                    continue
                part = path or (f"line {line}" if line is not None else str(self.path))
                self.findings.append(AuditFinding("file", part, message, float("nan"), None, "", "Correct the file."))
            return None
        skip_effective = self.path.suffix.lower() in YAML_ENDINGS
        self.findings += link_findings(robot.links, skip_effective)
        if not self.findings:
            self._add_stated_bodies()
        return robot

    def _add_stated_bodies(self) -> None:
        if self.path is None or self.path.suffix.lower() not in MJCF_ENDINGS or not self.path.is_file():
            return
        from gearwright.files.mjcf.stated_model import stated_bodies

        for body in stated_bodies(self.path):
            if np.isfinite(body.mass):
                self.findings += body_findings(f"body {body.name!r}", body.mass, body.inertia)

    def _check(self, robot: Robot | None, configuration: ActuatorConfiguration | None, period: float | None) -> None:
        model = self._model_data(robot)
        configured = self._stated_data(configuration, model)
        names = self._common_names(model, configured)
        true = self._true_data(names, model)
        if configuration is not None:
            self.notes += configuration.notes
            self.findings += transmission_findings(configuration.transmissions)
            self.findings += ratio_findings(configured)
            self.findings += sign_findings(configured)
        stated = {name: merged_data(model.joints.get(name, x), x) for name, x in {**model.joints, **configured}.items()}
        self._check_inertias(robot, model, configured, stated, true, names)
        self._check_limits(model, configured, stated, true, names)
        self._check_gains(model, stated, true, names, configuration, period)

    def _model_data(self, robot: Robot | None) -> ModelData:
        if robot is None:
            return ModelData(self.title, {})
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", GearwrightWarning)
                return data_of_robot(robot, self.catalogue)
        except (GearwrightError, np.linalg.LinAlgError) as error:
            self.unchecked.append(UncheckedRule("armature", (robot.name,), f"its inertia is not defined ({error})"))
            return ModelData(robot.name, {})

    def _stated_data(self, configuration: ActuatorConfiguration | None, model: ModelData) -> dict[str, JointData]:
        if configuration is None:
            return {}
        known = dict(model.joints)
        if not known and self.against is not None:
            links = {link.joint_name for link in self.against.links}
            known = {name: JointData(name) for name in (*links, *self.joints)}
        configured = configured_data(configuration, known)
        if configuration.groups and not configured:
            patterns = [pattern for group in configuration.groups for pattern in group.patterns]
            raise InputError(
                f"audit: no joint matches the patterns {listed_names(patterns)} of {configuration.source}. "
                f"{did_you_mean(patterns[0], known)}"
            )
        return configured

    def _common_names(self, model: ModelData, configured: Mapping[str, JointData]) -> dict[str, str]:
        """Return joint of the model -> joint of the other robot; of the model itself without one."""
        names = {*model.joints, *configured}
        if self.against is None:
            return {name: name for name in names}
        known = [link.joint_name for link in self.against.links]
        for name, other in self.joints.items():
            if name not in names or other not in known:
                word, words = (name, names) if name not in names else (other, known)
                raise InputError(f"audit: joints names {word!r}. {did_you_mean(word, words)}")
        common = {name: self.joints.get(name, name) for name in sorted(names)}
        common = {name: other for name, other in common.items() if other in known}
        if not common:
            raise InputError(
                f"audit: {self.title} and robot {self.against.name!r} have no joint in common "
                f"({listed_names(sorted(names)[:6])}; {listed_names(known[:6])}). Give joints= (--joint MODEL=ROBOT)."
            )
        return common

    def _true_data(self, names: Mapping[str, str], model: ModelData) -> ModelData | None:
        if self.against is None:
            return None
        independent = tuple(names[x] for x in model.speeds or names if x in names) if self.against.loops else ()
        return data_of_robot(self.against, self.catalogue, independent)

    def _check_inertias(
        self,
        robot: Robot | None,
        model: ModelData,
        configured: Mapping[str, JointData],
        stated: Mapping[str, JointData],
        true: ModelData | None,
        names: Mapping[str, str],
    ) -> None:
        armatures = (
            {} if robot is None else {x.joint_name: float(x.joint.armature) for x in robot.links if x.joint.armature}
        )
        per_joint = {**armatures, **{name: x.armature for name, x in configured.items() if x.armature is not None}}
        self.findings += doubled_findings(model, armatures)
        alone = {name: replace(x, armature=None) for name, x in stated.items()}
        if true is None:
            self.findings += armature_findings(configured, alone, {})
            self.findings += uncoupled_armature_findings(model, per_joint)
            return
        others = _by_model_names(true, names)
        inertias = {} if true.inertia is None else dict(zip(true.speeds, _diagonals(true), strict=True))
        at_joints = {name: inertias[other] for name, other in names.items() if other in inertias}
        compared = {name: x for name, x in stated.items() if name in names}
        if true.is_elastic:
            without = tuple(name for name, x in compared.items() if not x.armature)
            compared = {name: x for name, x in compared.items() if x.armature}
            if without:
                missing = "the drives are elastic: a rotor may be a coordinate of its own in the model"
                self.unchecked.append(UncheckedRule("armature", without, missing))
        self.findings += armature_findings(compared, others, at_joints)
        if configured:
            model = replace(model, reflected=None)  # a configuration states armatures per joint only
        self.findings += coupling_findings(model, true, names)

    def _check_limits(
        self,
        model: ModelData,
        configured: Mapping[str, JointData],
        stated: Mapping[str, JointData],
        true: ModelData | None,
        names: Mapping[str, str],
    ) -> None:
        if true is not None:
            others = _by_model_names(true, names)
            limited = {name: _with_effort_of_motor(stated[name]) for name in names}
            self.findings += limit_findings(limited, others, f"robot {true.name!r}")
            self.findings += repeated_limit_findings(limited, others, f"robot {true.name!r}")
            self.findings += friction_findings(limited, others)
            self.findings += gear_findings(self._stated_gears(model, configured), true, names)
            self._add_unknown_limits(limited, others, true.name)
        else:
            motors = {name: x for name, x in stated.items() if x.motor_torque or x.motor_speed}
            self.findings += limit_findings(stated, motors, "its motor and gear")
            self.findings += friction_findings(stated, {})
        if configured and model.joints:
            self.findings += limit_findings(configured, model.joints, self.title)
        if self.catalogue is not None:
            self.findings += power_findings(stated, model.carried_mass, self.catalogue)

    def _stated_gears(self, model: ModelData, configured: Mapping[str, JointData]) -> dict[str, JointData]:
        """Return joints that state a gear: gears of MJCF actuators, and ratios of 1, may be scales of the input."""
        is_mjcf = self.path is not None and self.path.suffix.lower() in MJCF_ENDINGS
        geared = {name: x for name, x in model.joints.items() if not is_mjcf and x.ratio and abs(x.ratio) != 1}
        return {**geared, **configured}

    def _add_unknown_limits(self, stated: Mapping[str, JointData], true: Mapping[str, JointData], robot: str) -> None:
        words = (("effort limit", "effort", "largest_effort"), ("speed limit", "speed", "largest_speed"))
        for kind, own, known in words:
            unknown = tuple(x for x in true if x in stated and getattr(stated[x], own) and not getattr(true[x], known))
            if unknown:
                self.unchecked.append(UncheckedRule(kind, unknown, f"robot {robot!r} states none, nor do its motors"))

    def _check_gains(
        self,
        model: ModelData,
        stated: Mapping[str, JointData],
        true: ModelData | None,
        names: Mapping[str, str],
        configuration: ActuatorConfiguration | None,
        period: float | None,
    ) -> None:
        with_gains = tuple(name for name, x in stated.items() if x.kp or x.kd)
        if not with_gains:
            return
        step, scheme = self._sample_period(configuration, period)
        machine = true if true is not None else model
        if step is None or machine.inertia is None:
            missing = "no period is stated. Give period=" if step is None else "no inertia is known. Give against="
            self.unchecked.append(UncheckedRule("gains", with_gains, missing))
            return
        self.findings += gain_findings(stated, machine, names, step, scheme)

    def _sample_period(
        self, configuration: ActuatorConfiguration | None, period: float | None
    ) -> tuple[float | None, Integration]:
        if period is not None:
            return period, "held"
        if configuration is not None and configuration.period is not None:
            return configuration.period, "held"
        if self.path is None or self.path.suffix.lower() not in MJCF_ENDINGS:
            return None, "held"
        from gearwright.files.mjcf.stated_model import simulation_step

        step, integrator = simulation_step(self.path)
        return step, "implicit" if integrator in IMPLICIT_INTEGRATORS else "euler"


def _by_model_names(true: ModelData, names: Mapping[str, str]) -> dict[str, JointData]:
    return {name: true.joints[other] for name, other in names.items() if other in true.joints}


def _with_effort_of_motor(data: JointData) -> JointData:
    """Return the data with the effort that a motor of the model gives, where no limit of the joint is stated."""
    return replace(data, effort=data.largest_effort if data.effort is None else data.effort)


def _diagonals(data: ModelData) -> Iterator[Any]:
    assert data.inertia is not None
    return iter(data.inertia.diagonal(axis1=1, axis2=2).max(axis=0))
