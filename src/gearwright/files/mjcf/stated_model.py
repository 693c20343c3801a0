"""What an MJCF file states apart from the robot: inertias as written, time step and integrator."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gearwright.algebra import Tensor
from gearwright.files.import_report import ImportFindings
from gearwright.files.mjcf.source import compile_model, mujoco_module
from gearwright.files.reading import read_text
from gearwright.files.size_limits import MAX_BODY_DEPTH
from gearwright.files.urdf.safe_xml import parse_xml


class StatedBody(NamedTuple):
    """A body with its mass [kg] and tensor [kg m2] as written, in the axes of <inertial>."""

    name: str
    mass: float
    inertia: Tensor


def stated_bodies(path: Path) -> Iterator[StatedBody]:
    """Yield the bodies of an MJCF file with a complete <inertial>, as written; MuJoCo may reject or change them."""
    root = parse_xml(read_text(path), ImportFindings(str(path)), MAX_BODY_DEPTH)
    for body in root.iter("body"):
        for inertial in body.findall("inertial"):
            try:
                diagonal = [float(x) for x in (inertial.get("diaginertia") or "").split()]
                full = [float(x) for x in (inertial.get("fullinertia") or "").split()]
                mass = float(inertial.get("mass") or "nan")
            except ValueError:  # MuJoCo reports it
                continue
            if len(full) == 6:
                xx, yy, zz, xy, xz, yz = full
                yield StatedBody(body.get("name") or "", mass, Tensor(xx, xy, xz, yy, yz, zz))
            elif len(diagonal) == 3:
                yield StatedBody(body.get("name") or "", mass, Tensor.diagonal(*diagonal))


def simulation_step(path: Path) -> tuple[float, str]:
    """Return the time step [s] of an MJCF file, and its integrator as MuJoCo names it (EULER, IMPLICITFAST, ...)."""
    model = compile_model(path, ImportFindings(str(path)))
    return float(model.opt.timestep), mujoco_module().mjtIntegrator(model.opt.integrator).name.removeprefix("mjINT_")
