"""A robot with its laws as an FMU for Simulink, Modelica tools and others: FMI 2.0 or 3.0, without Python inside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gearwright.argument_kinds import check_arguments
from gearwright.errors import FileError, InputError, NotTraceableError
from gearwright.export.fmi.build import (
    ENDINGS,
    MAIN,
    archived,
    binary_folder,
    build_description,
    compiled,
    compiler,
    licence,
    page,
    sources,
    system_name,
)
from gearwright.export.fmi.model_description import description
from gearwright.export.fmi.model_source import FmuModel
from gearwright.export.fmi.variables import variables
from gearwright.forces.law import Law
from gearwright.mechanism import RobotOrMech
from gearwright.parts import Robot
from gearwright.system.kernels.traced_laws import surveyed
from gearwright.system.open_systems.open_system import OpenSystem, open_system
from gearwright.system.state import State, initial_state, state_vector
from gearwright.text import did_you_mean, visible

CALLER = "export.fmu"
VERSIONS = ("2.0", "3.0")


@dataclass(frozen=True)
class FmuReport:
    """What was written.

    Args:
        path: the file.
        platform: for which computers it has a binary, None for sources alone.
        inputs: names of the inputs in the FMU.
        parameters: names of the tunable parameters in the FMU.
        outputs: names of the outputs in the FMU.
        renamed: name in Gearwright -> name in the FMU, where they differ.
        remarks: what else is to be known.
    """

    path: Path
    platform: str | None
    inputs: tuple[str, ...]
    parameters: tuple[str, ...]
    outputs: tuple[str, ...]
    renamed: Mapping[str, str]
    remarks: tuple[str, ...] = ()

    def __str__(self) -> str:
        renamed = [f"renamed: {visible(old)} -> {new}" for old, new in self.renamed.items()]
        sizes = f"{len(self.inputs)} inputs, {len(self.parameters)} parameters, {len(self.outputs)} outputs"
        what = f"{self.path.name}: {sizes}; {f'binary for {self.platform}' if self.platform else 'sources alone'}"
        return "\n".join([what, *self.remarks, *renamed])


@check_arguments
def fmu(
    robot: RobotOrMech,
    path: str | Path,
    version: str = "2.0",
    inputs: str | Iterable[str] = "torque",
    parameters: Sequence[str] = (),
    *,
    state: Any = None,
    laws: Iterable[Law] | None = None,
    extra_laws: Iterable[Law] = (),
    overwrite: bool = False,
) -> FmuReport:
    """Write a robot with its laws as an FMU: Model Exchange and Co-Simulation in one file.

    Its C is compiled by gcc, cc or clang, whichever is found, and lies in the file too, so that an importer on another
    computer can build it. Laws with modes (friction that sticks, stops, losses by the direction of power) are exact:
    their guards are event indicators, and the solver of Co-Simulation locates their events. States are outputs:
    `q.<coordinate>`, `v.<speed>`, states of laws, supplied and dissipated energy; further outputs are `a.<speed>`,
    signals of laws, energies, and `torque.<speed>`, the generalized force of inputs and laws.

    Args:
        robot: the robot (with the laws of its file) or a machine.
        path: the file to write, ending in .fmu.
        version: "2.0" or "3.0".
        inputs: "torque" (one per speed), "motor_torque" (one per actuator), "voltage" (one per motor with electrical
            data), or names: `tau.<speed>`, `motor_torque.<actuator>`, inputs of laws. All others rest at their start.
        parameters: paths of numbers that can be changed in the FMU, such as "payload.mass", "j1.gear.ratio",
            "j1.friction.coulomb"; machine and laws follow them.
        state: where it starts, as for `simulate`, or the name of a state of the robot; neutral and at rest unless
            given.
        laws: laws instead of those of the robot, with their numbers as they are; a warning names what is left out. ()
            for none.
        extra_laws: laws beside those of the robot.
        overwrite: whether a file that is there already may be replaced.

    Returns:
        What was written, and what is to be known about it.

    >>> import tempfile
    >>> import gearwright as gw
    >>> report = fmu(gw.load("elbow"), tempfile.mkdtemp() + "/elbow.fmu", parameters=["j1.motor.inertia"])
    >>> report.inputs, report.parameters, report.outputs[:2]
    (('tau.j1', 'tau.j2', 'tau.j3'), ('j1.motor.inertia',), ('q.j1', 'q.j2'))
    """
    if version not in VERSIONS:
        raise InputError(f"{CALLER}: version={version!r} is not known. {did_you_mean(version, VERSIONS)}")
    file = _free_path(path, overwrite)
    opened = _opened(robot, inputs, parameters, (laws, extra_laws))
    start = state_vector(opened.system, initial_state(opened.system.mech, _first_state(robot, opened, state)))
    model = FmuModel(str(getattr(robot, "name", "machine")), opened, start)
    _refuse_deciding_parameters(model)
    return _written(file, model, version)


def _refuse_deciding_parameters(model: FmuModel) -> None:
    """A number by which a law or part decides what it is cannot stay open."""
    try:
        _ = model.token
    except NotTraceableError:
        for path in model.opened.parameters:
            try:
                _ = replace(model, opened=replace(model.opened, parameters=(path,))).token
            except NotTraceableError:
                raise InputError(
                    f"{CALLER}: parameter {path!r} cannot be changed in an FMU: a law or part of the robot decides by "
                    "it what it is. Leave it out, and write one FMU per value."
                ) from None
        raise


def _written(file: Path, model: FmuModel, version: str) -> FmuReport:
    found, texts, program = variables(model), sources(version, model.header), compiler()
    contents: dict[str, str | bytes] = {f"sources/{name}": text for name, text in texts.items()}
    contents["modelDescription.xml"] = description(model, found, version)
    contents["documentation/index.html"] = page(model, found)
    contents["documentation/licenses/fmi-headers.txt"] = licence(texts)
    if version == "3.0":
        contents["sources/buildDescription.xml"] = build_description(model.identifier, MAIN[version])
    folder, remarks = None, ()  # type: tuple[str | None, tuple[str, ...]]
    if program is None:
        remarks = (
            "no C compiler (gcc, cc, clang) was found: the FMU holds sources alone, which an importer must build. "
            "Install one and export again for a binary.",
        )
    else:
        folder = binary_folder(version)
        library = f"{model.identifier}{ENDINGS[system_name()]}"
        contents[f"binaries/{folder}/{library}"] = compiled(texts, version, model.identifier, program)
    try:
        archived(file, contents)
    except FileError as error:
        raise InputError(f"{CALLER}: cannot write {str(file)!r}: {error}. Give a path you may write to.") from None
    kinds = {kind: tuple(one.name for one in found if one.kind in of) for kind, of in _KINDS.items()}
    renamed = {one.meaning: one.name for one in found if one.kind in ("state", "input") and one.meaning != one.name}
    renamed |= {
        path: name for path, name in zip(model.opened.parameters, kinds["parameters"], strict=True) if path != name
    }
    return FmuReport(file, folder, kinds["inputs"], kinds["parameters"], kinds["outputs"], renamed, remarks)


_KINDS = {"inputs": ("input",), "parameters": ("parameter",), "outputs": ("state", "output")}


def _free_path(path: str | Path, overwrite: bool) -> Path:
    file = Path(path)
    if file.suffix != ".fmu":
        raise InputError(f"{CALLER}: {str(path)!r} does not end in .fmu, by which tools know an FMU. Add it.")
    if file.is_dir():
        raise InputError(f"{CALLER}: {str(path)!r} is a folder. Give the path of a file.")
    if file.exists() and not overwrite:
        raise InputError(
            f"{CALLER}: {str(path)!r} is there already. Give another path, or overwrite=True (--overwrite)."
        )
    if not file.parent.is_dir():
        raise InputError(f"{CALLER}: there is no folder {str(file.parent)!r}. Make it first.")
    return file


def _opened(
    robot: RobotOrMech,
    inputs: str | Iterable[str],
    parameters: Sequence[str],
    given: tuple[Iterable[Law] | None, Iterable[Law]],
) -> OpenSystem:
    opened = open_system(CALLER, robot, inputs, parameters, *given, smooth=False)
    for obstacle in surveyed(opened.system).obstacles:
        raise InputError(f"{CALLER}: {obstacle}")
    return opened


def _first_state(robot: RobotOrMech, opened: OpenSystem, state: Any) -> Any:
    if isinstance(state, str):
        if not isinstance(robot, Robot):
            raise InputError(f"{CALLER}: a machine has no named states, so state={state!r} says nothing. Give numbers.")
        return State.named(robot, state, opened.system.mech)
    return state
