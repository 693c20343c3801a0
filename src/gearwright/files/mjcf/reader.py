"""MJCF -> parts, through MuJoCo's own compiler, with a report of what was read how and what is lost.

Decisions, stated once:

- Numbers come from the compiled model: includes, defaults, units and inertias from geoms are MuJoCo's business.
- A body with several joints is a chain of links, all but the last without mass and named after
  their joints; the last has the body's name.
- Stiffness and damping of joints and fixed tendons are springs of the machine; friction loss and limits are laws.
- A spatial tendon is a cord: what acts along it are laws, for its row changes with the configuration.
- Armature is a balanced inertia: no file states a rotor. A sidecar adds gears and motors; a drive with a rotor in it
  takes the place of its joint's armature.
- A linear equality of two joints is a follower, and one of two bodies a loop: rigid here and soft there.
- Contacts are not read. Meshes stay references.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from gearwright.algebra import Vec
from gearwright.files.import_report import Findings, Report
from gearwright.files.mjcf import tendons
from gearwright.files.mjcf.actuators import ActuatorReader
from gearwright.files.mjcf.cords import CordReader
from gearwright.files.mjcf.equalities import Follower, followers, held_length, moving
from gearwright.files.mjcf.links import BALL, FREE, LinkMaker, report_on_joints
from gearwright.files.mjcf.loops import LoopReader
from gearwright.files.mjcf.names import Names
from gearwright.files.mjcf.options_and_keyframes import states, switched_off
from gearwright.files.mjcf.shapes import shapes, site_frames
from gearwright.files.mjcf.sidecar import with_sidecar
from gearwright.files.mjcf.source import compiled
from gearwright.files.permissions import Permissions
from gearwright.files.size_limits import too_many
from gearwright.files.urdf.sidecar import sidecar_of
from gearwright.parts import Link, Robot

Lose = Callable[[str, str, str], None]


def read_mjcf_with_report(path: str | Path, permissions: Permissions | None = None) -> tuple[Robot, Report]:
    """The robot of an MJCF file, and the report of reading it: notes, and what MuJoCo simulates and the robot lacks.

    Raises:
        FileError: with every problem of the file.
        MissingExtraError: MuJoCo is not installed.
    """
    path = Path(path)
    found = Findings(str(path))
    robot = robot_of_model(compiled(path, found), found, path.stem)
    sidecar = sidecar_of(path)
    if sidecar.exists():
        beside = (permissions or Permissions()).found(path.parent, sidecar.name)
        robot = with_sidecar(found, robot, beside)
    return robot, found.report()


def robot_of_model(model: Any, found: Findings, fallback: str) -> Robot:
    """The robot of a compiled model."""
    names, off = Names(model, found), switched_off(model, found)
    _refuse_numbers(model, found)
    rows = tendons.fixed_rows(model)
    led = followers(model, names, rows, off, found.lose)
    held = {tendon: held_length(row, led) for tendon, row in rows.items()}
    rows = {tendon: moving(row, led) for tendon, row in rows.items()}
    maker = LinkMaker(model, names, off, led)
    links = maker.links()
    origins = [maker.origin(body) for body in range(model.nbody)]
    cords = CordReader(model, names, origins, off, found.lose)
    along = cords.read()
    actuators = ActuatorReader(model, names, rows, cords.courses, _coordinates(model, led), found.lose).read(off)
    inertias = tendons.inertias(model, names, rows)
    springs = tendons.springs(model, names, rows, held, off, found.lose)
    sites = site_frames(model, names, origins)
    closing = LoopReader(model, names, origins, sites)
    loops = closing.read(off)
    report_on_joints(model, names, off, found.lose)
    tendons.report_on_tendons(model, names, rows, off, found.lose)
    _report_on_the_rest(model, names, found)
    name = str(model.names[: model.names.index(b"\0")].decode("utf-8", "replace"))
    return Robot(
        fallback if name in ("", "MuJoCo Model") else name,
        _shaped(model, names, links, origins),
        actuators.drives,
        frames=[*sites.values(), *closing.frames],
        gravity=(0.0, 0.0, 0.0) if "gravity" in off else tuple(float(x) for x in model.opt.gravity),
        springs=[*springs, *actuators.dampers],
        tendons=[*inertias, *actuators.tendons],
        states=states(model, names, led, found.lose),
        loops=loops,
        cords=[*along, *actuators.cords],
    )


def _refuse_numbers(model: Any, found: Findings) -> None:
    counts = {"bodies": model.nbody, "joints": model.njnt, "sites": model.nsite, "keyframes": model.nkey}
    for what, count in {**counts, "tendons": model.ntendon, "inputs": model.nu, "equalities": model.neq}.items():
        reason = too_many(int(count), what)
        if reason is not None:
            found.add(reason)
    found.refuse()


def _coordinates(model: Any, led: dict[int, Follower]) -> set[int]:
    """The joints with one coordinate, those that follow others included."""
    held = {joint for joint, follower in led.items() if follower.leader is None}
    return {k for k in range(model.njnt) if model.jnt_type[k] not in (FREE, BALL) and k not in held}


def _shaped(model: Any, names: Names, links: list[Link], origins: list[Vec]) -> list[Link]:
    bodies = {name: body for body, name in enumerate(names.bodies)}
    return [
        replace(link, shapes=shapes(model, names, bodies[link.name], origins[bodies[link.name]]))
        if link.name in bodies
        else link
        for link in links
    ]


def _report_on_the_rest(model: Any, names: Names, found: Findings) -> None:
    """What changes the motion without a trace in joints, tendons and actuators."""
    for body in range(1, model.nbody):
        if model.body_gravcomp[body]:
            found.lose("gravity compensation of body", names.bodies[body], "the body falls as any other")
        if int(getattr(model, "body_plugin", [-1] * model.nbody)[body]) >= 0:
            found.lose("plugin of body", names.bodies[body], "plugins are not loaded")
        if model.body_mocapid[body] >= 0:
            found.note(f"body {names.bodies[body]!r}, which mocap moves there, stands still here")
    for word in ("density", "viscosity"):
        if getattr(model.opt, word):
            found.lose("fluid", word, "bodies move as in a vacuum")
    for kind in ("flex", "skin"):
        for i in range(getattr(model, f"n{kind}")):
            name = names.of(kind, i) if hasattr(model, kind) else f"{kind}{i}"
            found.lose(kind, name, "deformable bodies are not supported")
    kept = {"ncam": "cameras", "nlight": "lights", "nsensor": "sensors", "nexclude": "excluded contacts"}
    for field, word in {**kept, "npair": "contact pairs"}.items():
        if getattr(model, field):
            found.note(f"{getattr(model, field)} {word} are not kept")
