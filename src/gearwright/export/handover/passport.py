"""`passport`: the closest model that another program can represent, its files, and a page with its errors."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from gearwright.analysis import Task
from gearwright.analysis.model_audit.joint_data import data_of_robot
from gearwright.argument_kinds import check_arguments
from gearwright.errors import InputError
from gearwright.export.handover.dependent_joints import AllJoints, follower_rows
from gearwright.export.handover.errors_of_model import PATH_HORIZON, JointErrors, model_errors, time_weights
from gearwright.export.handover.mujoco_run import StepSetting, listed_steps, mujoco_errors, with_setting
from gearwright.export.handover.newton_check import (
    NEWTON_SOLVER,
    NEWTON_STEP,
    newton_path_run,
    newton_torques,
)
from gearwright.export.handover.omissions import not_represented
from gearwright.export.handover.possible_bodies import with_possible_bodies
from gearwright.export.handover.projection import (
    CHECK_MOTIONS,
    FIT_MOTIONS,
    InertiaForm,
    JointProjection,
    MotionSamples,
    PerJointModel,
    at_rest,
    exact_samples,
    handed_over_robot,
    project,
    random_motions,
    require_plain_joints,
    with_base_at_rest,
)
from gearwright.export.handover.target_texts import isaac_lab_text, ros2_control_text
from gearwright.export.mujoco.mjcf import mjcf
from gearwright.file_access import create_folder, write_files
from gearwright.files.reading import read_text
from gearwright.functions import assemble
from gearwright.mechanism import joint_kind
from gearwright.parts import Robot
from gearwright.programs import approximate
from gearwright.text import did_you_mean, file_name, html_text, listed_names, markdown_text

PassportTarget = Literal["mjcf", "newton", "isaac_lab", "ros2_control"]
PASSPORT_TARGETS: tuple[PassportTarget, ...] = ("mjcf", "newton", "isaac_lab", "ros2_control")
PASSPORT_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}table{border-collapse:"
    "collapse}th,td{padding:.2rem .6rem;border-bottom:1px solid #ddd;text-align:right}th:first-child,td:first-child{"
    "text-align:left}"
)


@dataclass(frozen=True)
class Passport:
    """A handed-over model and its errors.

    Args:
        robot: name of the robot.
        target: the program.
        joints: fitted numbers of each joint.
        errors: errors of each joint over the motions.
        motions: the motions of fit and errors, as text.
        not_representable: data of the robot that the target does not represent.
        checks: what was checked, and how.
        files: contents by file name.
    """

    robot: str
    target: PassportTarget
    joints: tuple[JointProjection, ...]
    errors: tuple[JointErrors, ...]
    motions: str
    not_representable: tuple[str, ...]
    checks: tuple[str, ...]
    files: Mapping[str, str]

    def save(self, directory: str | Path) -> list[Path]:
        """Write the files of the target and the page as Markdown and HTML into a folder; return all paths."""
        folder, stem = Path(directory), file_name(self.robot)
        create_folder(folder)
        pages = {f"{stem}_passport.md": self.markdown(), f"{stem}_passport.html": self.html()}
        contents = {folder / name: text for name, text in {**self.files, **pages}.items()}
        write_files(contents)
        return list(contents)

    def sections(self) -> list[tuple[str, Any]]:
        """Title and content of each section of the page: a text, a list of texts, or a table with its head first."""
        numbers = [
            (x.joint, *(f"{y:.4g}" for y in x[1:5]), *("-" if y is None else f"{y:.4g}" for y in x[5:]))
            for x in self.joints
        ]
        errors = [
            (x.joint, f"{x.torque_rms:.3g}", f"{x.torque_peak:.3g}", f"{x.relative_torque:.2%}", *_short(x[4:]))
            for x in self.errors
        ]
        head = ("joint", "armature [kg m2]", "damping [Nms/rad]", "friction loss [Nm]", "ratio")
        columns = ("joint", "torque rms [Nm]", "peak [Nm]", "rms, relative", "acceleration rms [rad/s2]", "peak")
        path = (f"path rms after {PATH_HORIZON:g} s [rad]", "peak [rad]")
        return [
            ("Motions", self.motions),
            ("Numbers", [(*head, "effort limit [Nm]", "speed limit [rad/s]"), *numbers]),
            ("Errors", [(*columns, *path), *errors]),
            ("Not representable", list(self.not_representable) or ["nothing"]),
            ("Checks and settings", list(self.checks)),
            ("Files", list(self.files)),
        ]

    def markdown(self) -> str:
        """The page as Markdown."""
        blocks = [f"# Passport of {markdown_text(self.robot)} for {self.target}"]
        for title, content in self.sections():
            blocks += [f"## {title}", _markdown_block(content)]
        return "\n\n".join(blocks) + "\n"

    def html(self) -> str:
        """The page as self-contained HTML."""
        body = "".join(f"<h2>{html_text(title)}</h2>{_html_block(content)}" for title, content in self.sections())
        title = html_text(f"Passport of {self.robot} for {self.target}")
        return (
            f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>{PASSPORT_STYLE}'
            f"</style></head><body><h1>{title}</h1>{body}</body></html>\n"
        )

    def _repr_html_(self) -> str:
        return "".join(f"<h4>{html_text(title)}</h4>{_html_block(x)}" for title, x in self.sections())

    def __str__(self) -> str:
        worst = max(self.errors, key=lambda x: x.relative_torque, default=None)
        size = "" if worst is None else f", torque error up to {worst.relative_torque:.2%} rms ({worst.joint})"
        return f"passport of {self.robot} for {self.target}{size}"


def _short(numbers: Sequence[Any]) -> list[str]:
    return [f"{x:.3g}" for x in numbers]


def _markdown_block(content: Any) -> str:
    if isinstance(content, str):
        return markdown_text(content)
    if content and isinstance(content[0], tuple):
        rows = [" | ".join(markdown_text(str(cell)) for cell in row) for row in content]
        return "\n".join(f"| {row} |" for row in [rows[0], " | ".join(["---"] * len(content[0])), *rows[1:]])
    return "\n".join(f"- {markdown_text(text)}" for text in content)


def _html_block(content: Any) -> str:
    if isinstance(content, str):
        return f"<p>{html_text(content)}</p>"
    if content and isinstance(content[0], tuple):
        head, *rows = (
            "".join(f"<{tag}>{html_text(str(cell))}</{tag}>" for cell in row)
            for tag, row in zip(["th", *["td"] * len(content)], content, strict=False)
        )
        return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"
    return f"<ul>{''.join(f'<li>{html_text(text)}</li>' for text in content)}</ul>"


@check_arguments
def passport(robot: Robot, target: PassportTarget, task: Task | None = None) -> Passport:
    """Return the model of a robot that another program can represent with the least torque error, and its errors.

    Armature, damping and friction loss of each joint are fitted by least squares to the exact torques of the drives,
    reflected to the joints; ratios and limits are those of motors and gears. Errors are those of torque and
    acceleration along the motions, and of the path 0.2 s after a start at the exact state under the exact torques.

    - "mjcf": MuJoCo's own inverse dynamics, forward dynamics and steps; inertia of coupled motors is exact.
    - "newton": an MJCF with joint armatures, evaluated in Newton on the processor.
    - "isaac_lab": Python text of `ImplicitActuatorCfg`; only its schema is checked.
    - "ros2_control": transmissions, checked for power balance.

    Args:
        robot: a floating base is at rest in the motions. With closed loops, numbers and errors are those of the
            independent joints; damping and friction of the others are among them.
        target: the program.
        task: the motions over which the model is fitted and judged; None: random motions within 80 % of the limits,
            four for the fit and two further ones for the errors.

    >>> import gearwright as gw
    >>> page = passport(gw.load("elbow"), "isaac_lab")
    >>> max(x.relative_torque for x in page.errors) < 0.05
    True

    Raises:
        InputError: the robot has joints with several coordinates, motors at dependent joints of closed loops, or, for
            "newton", followers or closed loops.
        MissingExtraError: MuJoCo or Newton is not installed.
    """
    if target not in PASSPORT_TARGETS:
        raise InputError(f"passport: target {target!r} is unknown. {did_you_mean(target, PASSPORT_TARGETS)}")
    payload = None if task is None else task.payload
    robot = robot if payload is None else replace(robot, payload=payload)
    held = with_base_at_rest(robot)
    require_plain_joints(held, target)
    fit, check, motions = _motion_samples(held, task)
    form: InertiaForm = "coupled" if target == "mjcf" else "diagonal"
    model = project(held, fit, form, _limits(held, model_speeds=_speeds(held)))
    writers = {"mjcf": _mjcf_files, "newton": _newton_files, "isaac_lab": _isaac_files, "ros2_control": _ros_files}
    files, errors, checks, missing = writers[target](robot, model, check)
    omissions = (*not_represented(held, form), *missing)
    motions += "" if held is robot else " The base is at rest in them."
    linear = [x.joint_name for x in held.links if joint_kind(x.joint.kind).is_prismatic and x.joint.follows is None]
    if linear:
        motions += f" Of the linear joints ({listed_names(linear)}) read N, m and kg for Nm, rad and kg m2."
    motions += "" if payload is None else " The model contains the payload of the task."
    return Passport(robot.name, target, model.joints, tuple(errors), motions, omissions, tuple(checks), files)


def _speeds(robot: Robot) -> tuple[str, ...]:
    mech = assemble(robot)
    return tuple(name for name in mech.speeds if name not in mech.shafts)


def _motion_samples(robot: Robot, task: Task | None) -> tuple[MotionSamples, MotionSamples, str]:
    if task is not None:
        samples = exact_samples(robot, task.cycle, task)
        return samples, samples, f"Task {task.name}, one cycle of {task.cycle.duration:.4g} s; fit and errors over it."
    mech = assemble(robot)
    reduced = approximate(mech, "rigid") if mech.shafts else mech
    fit, check = (
        _all_samples([exact_samples(robot, motion) for motion in random_motions(robot, reduced, count, seed)])
        for count, seed in ((FIT_MOTIONS, 1), (CHECK_MOTIONS, 2))
    )
    text = (
        f"Random Fourier motions of 2 s and three harmonics within 80 % of the limits of position and speed (without "
        f"limits: 1 rad and 2 rad/s): {FIT_MOTIONS} for the fit, {CHECK_MOTIONS} others for the errors."
    )
    return fit, check, text


def _all_samples(samples: Sequence[MotionSamples]) -> MotionSamples:
    total = samples[0]
    for more in samples[1:]:
        total = total + more
    return total


def _limits(robot: Robot, model_speeds: Sequence[str]) -> list[tuple[float, float | None, float | None]]:
    data = data_of_robot(robot).joints
    return [(data[x].ratio or 1.0, data[x].largest_effort, data[x].largest_speed) for x in model_speeds]


Written = tuple[dict[str, str], list[JointErrors], list[str], Sequence[str]]
"""Files, errors, checks, and further data that are not representable."""


class MjcfText(NamedTuple):
    """An MJCF, what it does not represent, and the links in it that were replaced by possible bodies."""

    text: str
    not_representable: tuple[str, ...]
    replaced: tuple[str, ...]

    def checks(self) -> list[str]:
        """The replaced links as a line of the page."""
        if not self.replaced:
            return []
        names = listed_names(self.replaced)
        return [f"Links with identifiable combinations only ({names}) are possible bodies with the same torques."]


def _mjcf_text(robot: Robot, rotors: Literal["reflected", "diagonal"]) -> MjcfText:
    possible, replaced = with_possible_bodies(robot)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.xml"
        report = mjcf(possible, path, rotors=rotors, sidecar=False)
        return MjcfText(read_text(path), report.not_representable, replaced)


def _mjcf_files(robot: Robot, model: PerJointModel, samples: MotionSamples) -> Written:
    written = _mjcf_text(handed_over_robot(robot, model, "coupled"), "reflected")
    held = with_base_at_rest(robot)
    run = written if held is robot else _mjcf_text(handed_over_robot(held, model, "coupled"), "reflected")
    errors, setting = mujoco_errors(run.text, AllJoints(model.mech, follower_rows(robot)), samples)
    checks = [*_mujoco_checks(setting, _soft_samples(model, samples, setting.step)), *written.checks()]
    return {f"{file_name(robot.name)}.xml": with_setting(written.text, setting)}, errors, checks, written[1]


def _soft_samples(model: PerJointModel, samples: MotionSamples, step: float) -> float:
    """Return the share of time in which MuJoCo's friction has the wrong sign at a joint."""
    friction = model.numbers[2] > 0
    braking = samples.v * samples.a < 0
    slow = (np.abs(samples.v) < step * np.abs(samples.a)) & ~at_rest(samples.v)
    wrong = (braking & slow)[:, friction]
    return float(np.average(wrong.any(axis=1), weights=time_weights(samples.t)))


def _mujoco_checks(setting: StepSetting, wrong_share: float) -> list[str]:
    return [
        "Run in MuJoCo: torque by mj_inverse, acceleration by mj_forward, path by mj_step.",
        f"Time step {setting.step:g} s with {setting.integrator} keeps the errors within 10 % of the least ones (path "
        f"{setting.path_peak:.3g} at most) and is in the file; {listed_steps()} were tried.",
        f"Friction losses have solreffriction {2 * setting.step:g} s, the stiffest at this step: with MuJoCo's default "
        "of 0.02 s they have the wrong sign for a while before each reversal. With this step they still have it while "
        f"a joint brakes at a speed below {setting.step:g} s times its acceleration, in {wrong_share:.1%} of the "
        "time, which is all that MuJoCo's torque differs from the fitted model's.",
    ]


def _newton_files(robot: Robot, model: PerJointModel, samples: MotionSamples) -> Written:
    setting = StepSetting(NEWTON_STEP, "implicitfast", 0.0, 0.0)
    written, held = (
        _mjcf_text(handed_over_robot(x, model, "diagonal"), "diagonal") for x in (robot, with_base_at_rest(robot))
    )
    text, run = (with_setting(x.text, setting) for x in (written, held))
    chosen, torques = newton_torques(run, tuple(model.mech.speeds), samples)
    own = model.torques(samples)[chosen]
    difference = float(np.abs(torques - own).max() / np.abs(own).max())
    checks = [
        f"Torques by Newton on the processor at {len(chosen)} states differ from those of the fitted model by "
        f"{difference:.1e} of the largest (single precision). Errors of torque and acceleration are those of the "
        "fitted model in Gearwright.",
        f"The path was run by {NEWTON_SOLVER} of Newton on the processor in steps of {NEWTON_STEP:g} s. Load the file "
        "with newton.ModelBuilder().add_mjcf(path); without the custom attributes of this solver friction is softer.",
        *written.checks(),
    ]
    errors = model_errors(model, samples, newton_path_run(run, tuple(model.mech.speeds)))
    return {f"{file_name(robot.name)}.xml": text}, errors, checks, written.not_representable


def _isaac_files(robot: Robot, model: PerJointModel, samples: MotionSamples) -> Written:
    text = isaac_lab_text(robot, model.joints)
    checks = [
        "The text is valid Python and names known fields of ImplicitActuatorCfg only. It was not run in Isaac Lab; "
        "errors are those of the fitted model in Gearwright.",
        "Friction is stated as effort, as Isaac Sim 5.0 and later take it; Isaac Sim 4.5 takes a coefficient instead.",
    ]
    missing = [
        f"follower {name!r} of {row[0]!r}: a mimic joint of the USD" for name, row in follower_rows(robot).items()
    ]
    missing += [f"closed loop {loop.name!r}: a joint of the USD outside the articulation" for loop in robot.loops]
    return {f"{file_name(robot.name)}_actuators.py": text}, model_errors(model, samples), checks, missing


def _ros_files(robot: Robot, model: PerJointModel, samples: MotionSamples) -> Written:
    written = ros2_control_text(robot)
    checks = [
        f"Power balance of the speed and effort maps of all transmissions: {written.power_error:.1e} relative.",
        "Transmissions state ratios only; armature, damping and friction loss of the table belong into the simulator. "
        "FourBarLinkageTransmission needs a ros2_control with corrected efforts (issue 1746).",
    ]
    name = f"{file_name(robot.name)}.ros2_control.urdf"
    missing = [*written.not_representable, *(f"closed loop {x.name!r}: of the simulator" for x in robot.loops)]
    return {name: written.text}, model_errors(model, samples), checks, missing
