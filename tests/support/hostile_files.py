"""Robot files written to do harm: numbers without end, nesting, and names of files elsewhere; one seed makes one.

Every reader is met: YAML, URDF, the sidecar of a URDF, what a YAML file attaches, and xacro with and without the wish.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

SECRET = "secret"
"""The name of the only link of every file outside of the robot's folder: no robot may have it."""
MARK = "was_here"
"""The file that a hostile xacro writes when it runs."""

INERTIAL = '<inertial><mass value="{number}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
JOINT = '<parent link="a"/><child link="b"/><axis xyz="0 {number} 0"/>'
URDF = (
    '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">{extra}<link name="a"/>'
    f'<link name="b">{INERTIAL}</link><joint name="j" type="continuous">{JOINT}</joint></robot>'
)
YAML = """
robot: arm
links: [{{name: rod, parent: base, joint: {{axis: [0, 1, 0]}}, mass: {number}}}]
frames: [{{name: tip, link: rod}}]
{extra}
"""
SIDECAR = "robot: arm\nlinks: [{{name: b, mass: {number}}}]\n{extra}\n"
RUNS = (
    "${{(lambda: [c for c in ().__class__.__base__.__subclasses__() if c.__name__ == 'catch_warnings'][0]()"
    "._module.__builtins__['open']('{mark}', 'w').close())()}}"
)


class Hostile(NamedTuple):
    """A file to load, whether to expand it, and what was done to it."""

    path: Path
    xacro: bool
    reader: str
    harm: str


def hostile(seed: int, folder: Path) -> Hostile:
    """Write the robot of a seed, with everything around it, into an empty folder."""
    rng = random.Random(seed)
    reader, harm = rng.choice(sorted(READERS)), rng.choice(sorted(HARMS))
    robot = _surroundings(folder)
    number, extra = HARMS[harm](rng, robot, "xml" if reader in XML else "yaml")
    return READERS[reader](rng, robot, number, extra)._replace(reader=reader, harm=harm)


def _surroundings(folder: Path) -> Path:
    """The robot's folder, and outside of it what it must not reach."""
    robot, outside = folder / "robot", folder / "outside"
    for place in (robot, outside):
        place.mkdir()
    (outside / "secret.yaml").write_text(
        f"robot: s\nlinks: [{{name: {SECRET}, parent: base, joint: {{kind: fixed}}}}]\n"
    )
    (outside / "secret.urdf").write_text(f'<robot name="s"><link name="r"/><link name="{SECRET}"/></robot>')
    (outside / "secret.xacro").write_text(f'<robot name="s"><link name="{SECRET}"/></robot>')
    for ending in ("yaml", "urdf", "xacro"):
        (robot / f"link.{ending}").symlink_to(outside / f"secret.{ending}")
        (robot / f"circle.{ending}").symlink_to(robot / f"circle.{ending}")
        (robot / f"folder.{ending}").mkdir()
        os.mkfifo(robot / f"pipe.{ending}")
    (robot / "door").symlink_to(outside)
    (robot / "entity.xacro").write_text('<!DOCTYPE r [<!ENTITY e "x">]><robot><link name="&e;"/></robot>')
    (robot / "bomb.urdf").write_text('<!DOCTYPE r [<!ENTITY e "x">]><robot name="&e;"><link name="q"/></robot>')
    (robot / "runs.xacro").write_text(
        f'<robot name="r"><link name="q">{RUNS.format(mark=(folder / MARK).as_posix())}</link></robot>'
    )
    return robot


def _number(rng: random.Random, robot: Path, kind: str) -> tuple[str, str]:
    """Texts that are slow to read as a number, or are none."""
    count = rng.choice((1, 20, 99, 101, 4301, 60_000))
    forms = (
        "9" * count,
        "9" * count + "x",
        "-" + "0" * count + "1",
        "0." + "0" * count + "1",
        "1e" + "9" * count,
        "1e-" + "0" * count + "1",
        "." * count,
        "+-" * count,
        "\u0663" * count,
        "1_0" * count,
        "0x" + "f" * count,
        "1:" * count + "1",
        "9" * count + " kg",
        "1 " * count,
        "nan" * count,
    )
    return rng.choice(forms), ""


def _nesting(rng: random.Random, robot: Path, kind: str) -> tuple[str, str]:
    """Brackets, elements and anchors without end."""
    count = rng.choice((30, 45, 3_000, 100_000))
    if kind == "xml":
        opened = rng.choice(("<a>", "<link name='x'>", "<a b='c'>", "<!--", "<![CDATA[", "<?a "))
        closed = rng.choice(("", "</a>", "</link>", "-->", "]]>", "?>"))
        return "1", opened * count + closed * rng.choice((0, count))
    layers = "".join(f"x{i}: &x{i} [{', '.join([f'*x{i - 1}'] * 9)}]\n" for i in range(1, 30))
    merges = "".join(f"y{i}: &y{i} {{<<: [{', '.join([f'*y{i - 1}'] * 9)}]}}\n" for i in range(1, 30))
    opened = rng.choice(("[", "{a: ", "- ", "? ", "[{a: ", "!!seq [", "&a [", "'", '"\\'))
    blocks = (f"x0: &x0 1\n{layers}", f"y0: &y0 {{a: 1}}\n{merges}", f"x: {opened * count}", f"x:\n  {opened * count}")
    return "1", rng.choice(blocks)


def _include(rng: random.Random, robot: Path, kind: str) -> tuple[str, str]:
    """Names of files that are elsewhere, no files, or no data."""
    ending = rng.choice(("yaml", "urdf", "xacro"))
    outside = robot.parent / "outside"
    names = (
        f"../outside/secret.{ending}",
        f"{outside}/secret.{ending}",
        f"file://{outside}/secret.{ending}",
        f"link.{ending}",
        f"door/secret.{ending}",
        f"./door/../door/secret.{ending}",
        f"lin*.{ending}",
        f"circle.{ending}",
        f"folder.{ending}",
        f"pipe.{ending}",
        f"robot.{ending}",
        f"{'x' * 300}.{ending}",
        f"{'../' * 60}etc/passwd",
        f"$(find outside)/secret.{ending}",
        f"C:\\\\secret.{ending}",
        "entity.xacro",
        "bomb.urdf",
        "runs.xacro",
        "/dev/zero",
        "/proc/self/mem",
        "..",
        ".",
    )
    name = rng.choice(names)
    if kind == "xml":
        return "1", f'<xacro:include filename="{name}"/>' * rng.choice((1, 1, 20))
    entry = f"{{robot: '{name}', frame: tip, prefix: p}}"
    return "1", f"attach: [{', '.join([entry] * rng.choice((1, 1, 20)))}]"


HARMS: dict[str, Callable[[random.Random, Path, str], tuple[str, str]]] = {
    "number": _number,
    "nesting": _nesting,
    "include": _include,
}


def _yaml(rng: random.Random, robot: Path, number: str, extra: str) -> Hostile:
    (robot / "robot.yaml").write_text(YAML.format(number=number, extra=extra))
    return Hostile(robot / "robot.yaml", False, "", "")


def _urdf(rng: random.Random, robot: Path, number: str, extra: str) -> Hostile:
    (robot / "robot.urdf").write_text(URDF.format(number=number, extra=extra))
    return Hostile(robot / "robot.urdf", False, "", "")


def _sidecar(rng: random.Random, robot: Path, number: str, extra: str) -> Hostile:
    sidecar = robot / "robot.gearwright.yaml"
    if rng.random() < 0.3:
        sidecar.symlink_to(rng.choice((robot / "link.yaml", robot / "circle.yaml", robot / "pipe.yaml", "/dev/zero")))
    else:
        sidecar.write_text(SIDECAR.format(number=number, extra=extra))
    return _urdf(rng, robot, "1", "")


def _attached(ending: str, text: str) -> Callable[..., Hostile]:
    def write(rng: random.Random, robot: Path, number: str, extra: str) -> Hostile:
        (robot / f"part.{ending}").write_text(text.format(number=number, extra=extra))
        return _yaml(rng, robot, "1", f"attach: [{{robot: part.{ending}, frame: tip, prefix: q}}]")

    return write


def _xacro(wished: bool) -> Callable[..., Hostile]:
    """Without the wish it holds code; with it none, for that would run."""

    def write(rng: random.Random, robot: Path, number: str, extra: str) -> Hostile:
        if wished:
            (robot / "runs.xacro").unlink()
        else:
            extra += f"<a>{RUNS.format(mark=(robot.parent / MARK).as_posix())}</a>"
        path = robot / "robot.urdf.xacro"
        if wished and rng.random() < 0.5:
            (robot / "part.xacro").write_text(URDF.format(number=number, extra=extra))
            number, extra = "1", '<xacro:include filename="part.xacro"/>'
        path.write_text(URDF.format(number=number, extra=extra))
        return Hostile(path, wished, "", "")

    return write


READERS: dict[str, Callable[..., Hostile]] = {
    "yaml": _yaml,
    "urdf": _urdf,
    "sidecar": _sidecar,
    "attached yaml": _attached("yaml", YAML),
    "attached urdf": _attached("urdf", URDF),
    "attached xacro": _attached("xacro", URDF),
    "xacro": _xacro(wished=False),
    "xacro on request": _xacro(wished=True),
}
XML = {"urdf", "attached urdf", "attached xacro", "xacro", "xacro on request"}
