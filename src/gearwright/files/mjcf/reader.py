"""MJCF -> parts, through MuJoCo's compiler, with a report of interpretations and unrepresentable elements.

Conventions:

- Numbers come from the compiled model: MuJoCo resolves includes, defaults, units and inertias of geoms.
- A body with several joints is a chain of links, all but the last without mass and named after
  their joints; the last has the body's name.
- Stiffness and damping of joints and fixed tendons are springs of the machine; friction loss and limits are laws.
- A spatial tendon is a cord: its forces are laws, since its row depends on the configuration.
- Armature is an inertia without reaction, since an MJCF does not describe rotors. A sidecar adds gears and motors; a
drive with a rotor replaces its joint's armature.
- A linear equality of two joints is a mimic joint, one of two bodies a loop: rigid here, soft in MuJoCo.
- Contacts are not read. Meshes stay references.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from gearwright.algebra import Vec
from gearwright.files.import_report import ImportFindings, ImportReport
from gearwright.files.mjcf import tendons
from gearwright.files.mjcf.actuators import ActuatorReader
from gearwright.files.mjcf.cords import CordReader
from gearwright.files.mjcf.equalities import JointFollower, held_length, joint_followers, moving_row
from gearwright.files.mjcf.links import MJ_BALL, MJ_FREE, MjcfLinkReader, report_unsupported_joints
from gearwright.files.mjcf.loops import LoopReader
from gearwright.files.mjcf.names import MjcfNames
from gearwright.files.mjcf.options_and_keyframes import disabled_flags, keyframe_states
from gearwright.files.mjcf.shapes import body_shapes, site_frames
from gearwright.files.mjcf.sidecar import with_sidecar
from gearwright.files.mjcf.source import compile_model
from gearwright.files.permissions import Permissions
from gearwright.files.size_limits import part_count_problem
from gearwright.files.urdf.sidecar import sidecar_path
from gearwright.parts import Link, Robot


def read_mjcf_with_report(path: str | Path, permissions: Permissions | None = None) -> tuple[Robot, ImportReport]:
    """Return the robot of an MJCF file, and the report with notes and unrepresentable elements.

    Raises:
        FileError: with every problem of the file.
        MissingExtraError: MuJoCo is not installed.
    """
    path = Path(path)
    findings = ImportFindings(str(path))
    robot = robot_from_model(compile_model(path, findings), findings, path.stem)
    sidecar = sidecar_path(path)
    if sidecar.exists():
        sidecar_file = (permissions or Permissions()).resolve_file(path.parent, sidecar.name)
        robot = with_sidecar(findings, robot, sidecar_file)
    return robot, findings.to_report()


def robot_from_model(model: Any, findings: ImportFindings, fallback: str) -> Robot:
    """The robot of a compiled model."""
    names, off = MjcfNames(model, findings), disabled_flags(model, findings)
    _require_part_counts(model, findings)
    rows = tendons.fixed_rows(model)
    followers_by_joint = joint_followers(model, names, rows, off, findings.add_unrepresentable)
    held = {tendon: held_length(row, followers_by_joint) for tendon, row in rows.items()}
    rows = {tendon: moving_row(row, followers_by_joint) for tendon, row in rows.items()}
    maker = MjcfLinkReader(model, names, off, followers_by_joint)
    links = maker.read_links()
    origins = [maker.link_origin(body) for body in range(model.nbody)]
    cords = CordReader(model, names, origins, off, findings.add_unrepresentable)
    spatial_cords = cords.read_cords()
    actuators = ActuatorReader(
        model,
        names,
        rows,
        cords.cord_routes,
        _single_coordinate_joints(model, followers_by_joint),
        findings.add_unrepresentable,
    ).read_actuators(off)
    inertias = tendons.tendon_inertias(model, names, rows)
    springs = tendons.tendon_springs(model, names, rows, held, off, findings.add_unrepresentable)
    sites = site_frames(model, names, origins)
    loop_reader = LoopReader(model, names, origins, sites)
    loops = loop_reader.read_loops(off)
    report_unsupported_joints(model, names, off, findings.add_unrepresentable)
    tendons.report_unsupported_tendons(model, names, rows, off, findings.add_unrepresentable)
    _report_other_effects(model, names, findings)
    name = str(model.names[: model.names.index(b"\0")].decode("utf-8", "replace"))
    return Robot(
        fallback if name in ("", "MuJoCo Model") else name,
        _with_shapes(model, names, links, origins),
        actuators.drives,
        frames=[*sites.values(), *loop_reader.frames],
        gravity=(0.0, 0.0, 0.0) if "gravity" in off else tuple(float(x) for x in model.opt.gravity),
        springs=[*springs, *actuators.dampers],
        tendons=[*inertias, *actuators.tendons],
        states=keyframe_states(model, names, followers_by_joint, findings.add_unrepresentable),
        loops=loops,
        cords=[*spatial_cords, *actuators.cords],
    )


def _require_part_counts(model: Any, findings: ImportFindings) -> None:
    counts = {"bodies": model.nbody, "joints": model.njnt, "sites": model.nsite, "keyframes": model.nkey}
    for kind, count in {**counts, "tendons": model.ntendon, "inputs": model.nu, "equalities": model.neq}.items():
        reason = part_count_problem(int(count), kind)
        if reason is not None:
            findings.add(reason)
    findings.raise_if_any()


def _single_coordinate_joints(model: Any, followers_by_joint: dict[int, JointFollower]) -> set[int]:
    """Return the joints with one coordinate, including mimic joints."""
    held = {joint for joint, follower in followers_by_joint.items() if follower.leader is None}
    return {k for k in range(model.njnt) if model.jnt_type[k] not in (MJ_FREE, MJ_BALL) and k not in held}


def _with_shapes(model: Any, names: MjcfNames, links: list[Link], origins: list[Vec]) -> list[Link]:
    bodies = {name: body for body, name in enumerate(names.bodies)}
    return [
        replace(link, shapes=body_shapes(model, names, bodies[link.name], origins[bodies[link.name]]))
        if link.name in bodies
        else link
        for link in links
    ]


def _report_other_effects(model: Any, names: MjcfNames, findings: ImportFindings) -> None:
    """Report effects on the motion other than joints, tendons and actuators."""
    for body in range(1, model.nbody):
        if model.body_gravcomp[body]:
            findings.add_unrepresentable(
                "gravity compensation of body", names.bodies[body], "the full gravity acts on the body"
            )
        if int(getattr(model, "body_plugin", [-1] * model.nbody)[body]) >= 0:
            findings.add_unrepresentable("plugin of body", names.bodies[body], "plugins are not loaded")
        if model.body_mocapid[body] >= 0:
            findings.add_note(f"mocap body {names.bodies[body]!r} is fixed here")
    for word in ("density", "viscosity"):
        if getattr(model.opt, word):
            findings.add_unrepresentable("fluid", word, "bodies move as in a vacuum")
    for kind in ("flex", "skin"):
        for i in range(getattr(model, f"n{kind}")):
            name = names.element_name(kind, i) if hasattr(model, kind) else f"{kind}{i}"
            findings.add_unrepresentable(kind, name, "deformable bodies are not supported")
    skipped = {"ncam": "cameras", "nlight": "lights", "nsensor": "sensors", "nexclude": "excluded contacts"}
    for field, word in {**skipped, "npair": "contact pairs"}.items():
        if getattr(model, field):
            findings.add_note(f"{getattr(model, field)} {word} are not imported")
