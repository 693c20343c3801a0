"""Every writer of Gearwright, fed with a robot of hostile names; each checks that a name was shown and never obeyed."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

import gearwright as gw
from gearwright import text
from gearwright.equations.closed_form import closed_form
from gearwright.errors import GearwrightError, InputError
from gearwright.export import c as export_c
from gearwright.parts import Robot
from support.hostile_names import hostile_robot, rigid

STRICT = ["-Wall", "-Wextra", "-Wconversion", "-Werror", "-std=c99", "-trigraphs", "-pedantic"]
CODE = re.compile(r"\\(?:(\\)|([nrt])|x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8}))")
PLAIN_C = re.compile(
    r"|#(ifndef|define|endif|ifdef|if|else|include)\b[ -~]*|extern \"C\" \{|\}|enum \{|\};|  [A-Z_0-9]+ = \d+"
    r"|void [A-Za-z_0-9]+\([a-z_*, ]*\)( GEARWRIGHT_NONBLOCKING)?;"
)


def names_of(robot: Robot) -> list[str]:
    """All names that the robot bears."""
    links = [name for link in robot.links for name in (link.name, link.joint_name)]
    others = [part.name for part in (*robot.drives, *robot.frames, *robot.springs)]
    return [robot.name, *links, *(name for name in others if name)]


def assert_shown(written: str) -> None:
    """Nothing in a text for people acts on what stands around it."""
    hidden = [c for c in written if c != "\n" and text.is_hidden(c)]
    assert not hidden, f"{hidden[:5]!r} in {written[:300]!r}"


def decoded(comment: str) -> str:
    """The name that a comment of the C package stands for."""

    def one(found: re.Match[str]) -> str:
        backslash, letter, *codes = found.groups()
        if backslash:
            return "\\"
        return {"n": "\n", "r": "\r", "t": "\t"}[letter] if letter else chr(int(next(filter(None, codes)), 16))

    return CODE.sub(one, comment)


def c_header(robot: Robot, folder: Path, precision: str = "double") -> list[Path]:
    """Line by line nothing but comments and declarations, and every name comes back from its comment."""
    frame = f"jacobian:{robot.links[-1].name}"
    held = gw.control.pd(rigid(robot), gw.neutral(rigid(robot)), 1.0, 1.0)
    later = gw.control.with_sampling(held, 1e-3, delay=1)
    export_c(rigid(robot), folder, functions=[later], precision=precision, name="held")
    for line in (folder / "held.h").read_text(encoding="utf-8").split("\n"):
        assert "tau." not in line or re.fullmatch(r"/\* .* \*/", line), line
        assert_shown(line)
    files = export_c(robot, folder, functions=["gravity", "bias", frame, "rates"], precision=precision)
    mech, start = gw.assemble(robot), files[0].stem.upper()
    found: dict[str, dict[str, str]] = {"Q": {}, "V": {}, "X": {}, "U": {}}
    for line in files[0].read_text(encoding="utf-8").split("\n"):
        enumerator = re.fullmatch(rf"  {start}_([QVXU])_([A-Z_0-9]+) = \d+, /\* (.*) \*/", line)
        comment = line[line.index("/* ") + 3 : -3] if "/* " in line else ""
        assert not re.search(r"\*/|/\*|\?\?", comment), line
        assert enumerator or PLAIN_C.fullmatch(line) or re.fullmatch(r"/\* .* \*/", line), line
        assert_shown(line)
        if enumerator:
            kind, short, comment = enumerator.groups()
            assert short not in found[kind], line
            found[kind][short] = decoded(comment)
    assert tuple(found["Q"].values()) == mech.coordinates
    assert tuple(found["V"].values()) == mech.speeds
    assert tuple(found["U"].values()) == tuple(f"tau.{speed}" for speed in mech.speeds)
    for file in files[1:]:
        assert file.read_text(encoding="utf-8").isascii()
    return files


def c_package(robot: Robot, folder: Path) -> None:
    """It compiles strictly, trigraphs included, and passes its own test, in both precisions."""
    for precision in ("double", "float"):
        _c_package(robot, folder, precision)


def _c_package(robot: Robot, folder: Path, precision: str) -> None:
    header, source, test, _ = c_header(robot, folder, precision)
    if shutil.which("gcc") is None:
        return
    program = folder / "selftest"
    subprocess.run(["gcc", *STRICT, source, test, "-o", program, "-lm"], check=True, cwd=folder)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"{header.stem}: 0 values differ\n")


def casadi_names(robot: Robot, folder: Path) -> None:
    """Names of arguments that CasADi takes, and of a state space that python-control takes: plain and all different."""
    bodies = [link.name for link in robot.links]
    inputs = gw.casadi_function("bias", robot, wrenches=bodies).name_in()
    mech = gw.assemble(robot)
    model = gw.export.state_space(mech, gw.neutral(mech), u=np.zeros(mech.n))
    for names in (inputs, model.states, model.inputs):
        assert len(set(names)) == len(names)
        assert all(re.fullmatch("[A-Za-z](_?[A-Za-z0-9])*", name) for name in names), names


def c_of_kernels(robot: Robot, folder: Path) -> None:
    """Forces on bodies are arguments called by the bodies."""
    kernel = gw.compile("bias", robot, wrenches=[0, 1])
    for number, found in enumerate((kernel, kernel.jacobian())):
        written = found.source("c")
        assert_shown(written)
        source = folder / f"kernel{number}.c"
        source.write_text(written, encoding="utf-8")
        if shutil.which("gcc"):
            subprocess.run(["gcc", *STRICT, "-fsyntax-only", source], check=True)


def llvm(robot: Robot, folder: Path) -> None:
    """The program that machine code is made from knows no names: that of a tame robot is the same."""
    from gearwright.compiling.kernel import KernelRequest
    from gearwright.tracing.trace import trace_graph

    mech = gw.assemble(robot)
    graph = trace_graph(KernelRequest("bias", mech).trace_job())
    tame = trace_graph(KernelRequest("bias", gw.assemble(hostile_robot("rabcdefgh"))).trace_job())
    assert (graph.nodes, graph.outputs) == (tame.nodes, tame.outputs)
    x = np.full(mech.n, 0.3)
    assert np.isfinite(gw.compile("bias", mech)(x, x)).all()


def json_of_facts(robot: Robot, folder: Path) -> None:
    """The facts come back, and are safe on a terminal."""
    from gearwright.cli.robot_description import describe_robot

    facts = describe_robot(robot, gw.assemble(robot))
    written = text.json_text(facts)
    assert_shown(written)
    assert json.loads(written) == facts


def yaml(robot: Robot, folder: Path) -> None:
    """The same robot."""
    path = folder / "robot.yaml"
    gw.save(robot, path)
    assert_shown(path.read_text(encoding="utf-8"))
    assert names_of(gw.load(path)) == names_of(robot)
    assert gw.load(path).description == robot.description


def urdf(robot: Robot, folder: Path) -> None:
    """The same robot with its sidecar; what XML cannot hold is refused by name."""
    path = folder / "robot.urdf"
    try:
        gw.save(robot, path)
    except InputError as error:
        _refused_rightly(str(error), names_of(robot), path)
        return
    for file in (path, folder / "robot.gearwright.yaml"):
        assert_shown(file.read_text(encoding="utf-8"))
    assert names_of(gw.load(path)) == names_of(robot)
    assert ElementTree.parse(path).getroot().get("name") == robot.name


def mjcf(robot: Robot, folder: Path) -> None:
    """MuJoCo reads the same names; with its sidecar the same robot comes back; what XML cannot hold is refused."""
    path = folder / "robot.xml"
    try:
        gw.export.mjcf(robot, path)
    except InputError as error:
        _refused_rightly(str(error), names_of(robot), path)
        return
    for file in (path, folder / "robot.gearwright.yaml"):
        assert_shown(file.read_text(encoding="utf-8"))
    root = ElementTree.parse(path).getroot()
    assert root.get("model") == robot.name
    assert {joint.get("name") for joint in root.iter("joint")} >= {link.joint_name for link in robot.links}
    assert names_of(gw.load(path)) == names_of(robot)


def passport(robot: Robot, folder: Path) -> None:
    """Python and XML of other programs parse, and the page shows the names."""
    for target in ("isaac_lab", "ros2_control"):
        try:
            files = gw.export.passport(rigid(robot), target).save(folder)
        except GearwrightError as error:
            assert_shown(str(error))
            continue
        for file in files:
            written = file.read_text(encoding="utf-8")
            if file.suffix == ".py":
                (assignment,) = (x for x in ast.parse(written).body if isinstance(x, ast.Assign))
                assert isinstance(assignment.value, ast.Dict)
            elif file.suffix == ".urdf":
                ElementTree.fromstring(written)
            assert_shown(written)


def actuator_card(robot: Robot, folder: Path) -> None:
    """The card of each drive is read back, and XML with the name of its joint parses."""
    for drive in robot.drives:
        path = folder / "card.json"
        try:
            gw.export.card_of_drive(drive, robot.name, source=drive.joint).save(path)
            card = gw.export.read_card(path)
        except GearwrightError as error:
            assert_shown(str(error))
            continue
        assert_shown(path.read_text(encoding="utf-8"))
        assert (card.name, card.source) == (robot.name, drive.joint)
        if text.xml_forbidden_character(drive.joint) is None:
            for target in ("mujoco", "urdf"):
                ElementTree.fromstring(f"<r>{gw.export.card_text(card, target, drive.joint).text}</r>")


def _refused_rightly(message: str, names: list[str], path: Path) -> None:
    """The message shows the character that XML forbids, or the blank name."""
    forbidden = {code for name in names if (code := text.xml_forbidden_character(name))}
    blank = {repr(name) for name in names if not name.strip()}
    assert any(fact in message for fact in forbidden | blank), message
    assert_shown(message)
    assert not path.exists()


def csv(robot: Robot, folder: Path) -> None:
    """Runs, motions and logs give back their columns."""
    from gearwright.identification import FourierMotion, read_log
    from gearwright.motion.csv_files import read_recording, write_columns
    from gearwright.simulation import Run

    mech = gw.assemble(robot)
    t = np.linspace(0.0, 1.0, 8)
    series = {f"{word}.{name}": t * k for k, name in enumerate(mech.speeds) for word in ("q", "v", "tau")}
    series |= {f"{drive.title}.current": t for drive in robot.drives}
    units = dict.fromkeys(series, "rad")
    for ending in (".csv", ".parquet"):
        back = Run.read(Run(t, series, units, name=robot.name).save(folder / f"run{ending}"))
        assert list(back.series) == list(series)
        assert all((back[name] == series[name]).all() for name in series)
    swing = FourierMotion(1.0, np.zeros(mech.n), np.eye(mech.n), np.zeros((mech.n, mech.n)))
    swing.save(folder / "motion.csv", mech)
    assert read_recording(folder / "motion.csv", mech).motion.q.shape == (101, mech.n)
    names = [f"{word}.{name}" for word in ("q", "tau") for name in mech.speeds]
    (folder / "log.csv").write_text(write_columns(names, np.ones((8, 2 * mech.n)), t), encoding="utf-8", newline="")
    assert read_log(folder / "log.csv", mech).torques.shape == (8, mech.n)
    stored = gw.control.NominalControl(mech.speeds, t, *np.ones((3, 8, mech.n)))
    assert gw.control.load_nominal(stored.save(folder / "nominal.csv")).joints == tuple(mech.speeds)


def markdown_cells(page: str) -> list[str]:
    """The texts of a Markdown page's table cells, of which each must be plain text or our own mathematics."""
    from markdown_it import MarkdownIt

    cells = []
    for token in MarkdownIt("gfm-like", {"linkify": False}).parse(page):
        if token.type == "inline":
            kinds = {child.type for child in token.children or ()}
            assert kinds <= {"text", "text_special", "softbreak", "image"}, (kinds, token.content)
            assert "image" not in kinds or re.fullmatch(r"!\[\w+\.png\]\(\w+\.png\)", token.content), token.content
            cells.append("".join(child.content for child in token.children or () if child.type != "image"))
        assert not token.type.startswith("html"), token.content
    return cells


def closed_forms(robot: Robot, folder: Path) -> None:
    """Names stand in the table of symbols only; the programs hold none."""
    form = closed_form("gravity", rigid(robot))
    page = form.markdown()
    assert_shown(page)
    cells = markdown_cells(re.sub(r"\$\$.*?\$\$", "", page, count=1, flags=re.DOTALL))
    for name in form.motion.values():
        assert text.visible_text(name).strip() in [cell.strip() for cell in cells], name
    ast.parse(form.python())
    for program in (form.python(), form.c(), form.latex()):
        assert program.isascii()
        assert "evil" not in program


def report(robot: Robot, folder: Path) -> None:
    """Markdown and HTML of an identification, with its figures."""
    from gearwright.identification import FourierMotion, Log, identify, write_report

    robot = rigid(robot)
    mech = gw.assemble(robot)
    rng = np.random.default_rng(0)
    motion = FourierMotion(5.0, np.zeros(2), *rng.normal(size=(2, 2, 3))).sample(200)
    tau = gw.inverse_dynamics(mech, motion.q, motion.v, motion.a) + 0.01 * rng.normal(size=motion.v.shape)
    found = identify(robot, Log(motion.t, motion.q, tau, motion.v, motion.a))
    page = write_report(
        found, folder / "report", found.validate(Log(motion.t, motion.q, tau, motion.v, motion.a)), title=robot.name
    )
    written = page.read_text(encoding="utf-8")
    assert_shown(written)
    ours = {
        "meta",
        "title",
        "style",
        "html",
        "head",
        "body",
        "h1",
        "h2",
        "p",
        "img",
        "table",
        "tr",
        "th",
        "td",
        "!doctype",
    }
    assert set(re.findall(r"</?([!\w]+)", written)) <= ours
    assert f"<h1>{text.html_text(robot.name)}</h1>" in written
    cells = markdown_cells((page.parent / "report.md").read_text(encoding="utf-8"))
    assert {text.visible_text(name).strip() for name in mech.speeds} <= {cell.strip() for cell in cells}


def figures(robot: Robot, folder: Path) -> None:
    """All kinds of figures: no text of theirs is mathematics, none is left out of a legend, all can be drawn."""
    from matplotlib.text import Text

    from gearwright.plots import Panel, bar_figure, panel_figure, save_figure
    from gearwright.plots.bars import RankingPanel, ranking_figure
    from gearwright.plots.contour import PlotPlane, contour_figure
    from gearwright.plots.distributions import histogram_figure, interval_figure
    from gearwright.plots.network import NetworkEdge, network_figure
    from gearwright.plots.scatter import pareto_figure

    first, second, *_ = names = names_of(robot)
    grid = np.meshgrid([0.0, 1.0], [0.0, 1.0])
    pages = {
        "figure": panel_figure([0, 1], first, [Panel(first, {name: [0, 1] for name in names}, second)], title=first),
        "bars": bar_figure(names, dict.fromkeys(names, np.ones(len(names))), first, second, "_"),
        "intervals": interval_figure(
            names, np.ones(len(names)), np.ones(len(names)), first, {second: np.ones(len(names))}
        ),
        "rankings": ranking_figure([RankingPanel(first, dict.fromkeys(names, 1.0), second)], len(names)),
        "front": pareto_figure([0, 1], [1, 0], (first, second), (0, 1)),
        "histograms": histogram_figure({name: [0.0, 1.0] for name in names}),
        "network": network_figure({first: [NetworkEdge("base", name, name) for name in names]}, "base"),
        "contour": contour_figure(
            np.eye(2) + grid[0], first, PlotPlane(*grid, first, second), PlotPlane(*grid, second, first), first
        ),
    }
    for kind, page in pages.items():
        for drawn in page.findobj(Text):
            assert_shown(drawn.get_text())
            assert drawn._preprocess_math(drawn.get_text())[1] is False, drawn.get_text()
        for legend in page.legends:
            wanted = {"figure": len(names), "bars": len(names), "intervals": 2, "front": 2, "histograms": 2}[kind]
            assert len(legend.get_texts()) == wanted
        ElementTree.parse(save_figure(page, folder / f"{kind}.svg"))


def messages(robot: Robot, folder: Path) -> None:
    """Errors and representations stay in one line and hold no control characters."""
    mech = gw.assemble(robot)
    seen = [repr(robot), repr(mech)]
    attempts: list[Callable[[], object]] = [
        lambda: gw.mass_matrix(mech, np.zeros(9)),
        lambda: gw.jacobian(mech, gw.neutral(mech), "nobody"),
        lambda: robot.drive("nobody"),
        lambda: gw.simulate(robot, np.zeros(9), 1.0),
        lambda: gw.simulate(robot, None, 0.1, inputs={"nothing": 1.0}),
        lambda: gw.Mechanism([gw.Body(robot.name, mass=1.0), gw.Body(robot.name, mass=1.0)]),
        lambda: gw.Mechanism([gw.Body(robot.name, robot.links[0].name, mass=1.0)]),
    ]
    for attempt in attempts:
        try:
            attempt()
        except GearwrightError as error:
            seen.append(str(error))
    assert len(seen) > 5
    for message in seen:
        assert_shown(message)
        assert "\n" not in message


def file_names(robot: Robot, folder: Path) -> None:
    """Files called by a robot lie in the folder."""
    for name in names_of(robot):
        path = folder / f"{text.file_name(name)}_map.png"
        assert path.resolve().parent == folder.resolve()
        assert not path.name.startswith(("-", "."))
        path.write_bytes(b"")


def fmu(robot: Robot, folder: Path) -> None:
    """Plain names in C and XML, all different, with what they stand for beside them; and it compiles."""
    for version in ("2.0", "3.0"):
        report = gw.export.fmu(robot, folder / f"{version}.fmu", version)
        with zipfile.ZipFile(report.path) as archive:
            written = {name: archive.read(name) for name in archive.namelist() if not name.startswith("binaries/")}
        assert all(part.isascii() for name, part in written.items() if name.endswith((".c", ".h")))
        root = ElementTree.fromstring(written["modelDescription.xml"])
        listed = [one for one in root.iter() if one.get("valueReference") and one.get("name")]
        variables = {one.get("name"): one.get("description") for one in listed}
        assert len(variables) == len(listed)
        assert all(re.fullmatch(r"(der\()?[A-Za-z_]\w*(\.[A-Za-z_]\w*)*\)?", name, re.ASCII) for name in variables)
        assert {*report.inputs, *report.outputs} <= set(variables)
        for old, new in report.renamed.items():
            assert variables[new] == text.visible_text(old)
        assert_shown(written["documentation/index.html"].decode())


WRITERS: dict[str, Callable[[Robot, Path], object]] = {
    "C header": c_header,
    "C package": c_package,
    "C of kernels": c_of_kernels,
    "CasADi and state spaces": casadi_names,
    "LLVM": llvm,
    "JSON": json_of_facts,
    "YAML": yaml,
    "URDF": urdf,
    "MJCF": mjcf,
    "passport": passport,
    "actuator card": actuator_card,
    "FMU": fmu,
    "CSV and Parquet": csv,
    "closed form": closed_forms,
    "report": report,
    "figures": figures,
    "messages": messages,
    "names of files": file_names,
}
SLOW = ("C package", "C of kernels", "FMU", "report", "figures", "closed form", "passport")
MISSING_LETTERS = "Glyph|constrained_layout not applied"
"""What matplotlib warns of when its font lacks a letter, or a name is longer than the page."""
