"""A robot with its laws as an FMU for Simulink, Modelica tools and others: FMI 2.0 or 3.0, without Python inside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gearwright.argument_kinds import check_arguments
from gearwright.errors import FileError, InputError
from gearwright.export.fmi.build import (
    FMI_MAIN_FILES,
    LIBRARY_ENDINGS,
    binary_folder,
    build_description,
    compile_library,
    documentation_page,
    find_compiler,
    licence_text,
    source_files,
    system_name,
    write_archive,
)
from gearwright.export.fmi.model_description import description_xml
from gearwright.export.fmi.model_source import FmuModel
from gearwright.export.fmi.robot_model import robot_model
from gearwright.export.fmi.variables import fmu_variables
from gearwright.forces import Law
from gearwright.mechanism import RobotOrMech
from gearwright.text import did_you_mean, visible_text

FMU_CALLER = "export.fmu"
FMI_VERSIONS = ("2.0", "3.0")


@dataclass(frozen=True)
class FmuReport:
    """Report of a written FMU.

    Args:
        path: the file.
        platform: platform of its binary, None for sources only.
        inputs: names of the inputs in the FMU.
        parameters: names of the tunable parameters in the FMU.
        outputs: names of the outputs in the FMU.
        renamed: name in Gearwright -> name in the FMU, if they differ.
        remarks: further remarks.
    """

    path: Path
    platform: str | None
    inputs: tuple[str, ...]
    parameters: tuple[str, ...]
    outputs: tuple[str, ...]
    renamed: Mapping[str, str]
    remarks: tuple[str, ...] = ()

    def __str__(self) -> str:
        renamed = [f"renamed: {visible_text(old)} -> {new}" for old, new in self.renamed.items()]
        sizes = f"{len(self.inputs)} inputs, {len(self.parameters)} parameters, {len(self.outputs)} outputs"
        summary = f"{self.path.name}: {sizes}; {f'binary for {self.platform}' if self.platform else 'sources only'}"
        return "\n".join([summary, *self.remarks, *renamed])


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

    The C code is compiled by gcc, cc or clang, and is included in the file, so that an importer on another platform can
    build it. Laws with modes (stiction, stops, direction-dependent losses) are exact: their guards are event
    indicators, and the solver of Co-Simulation locates their events. States are outputs: `q.<coordinate>`, `v.<speed>`,
    states of laws, supplied and dissipated energy; further outputs are `a.<speed>`, signals of laws, energies, and
    `torque.<speed>`, the generalized force of inputs and laws.

    Args:
        robot: the robot (with the laws of its file) or a machine.
        path: the file to write, ending in .fmu.
        version: "2.0" or "3.0".
        inputs: "torque" (one per speed), "motor_torque" (one per actuator), "voltage" (one per motor with electrical
            data), or names: `tau.<speed>`, `motor_torque.<actuator>`, inputs of laws. All others are constant.
        parameters: paths of parameters that can be changed in the FMU, such as "payload.mass", "j1.gear.ratio",
            "j1.friction.coulomb"; machine and laws depend on them.
        state: initial state, as for `simulate`, or the name of a state of the robot; by default neutral and at rest.
        laws: laws that replace those of the robot, with constant parameters; a warning lists the omitted ones. () for
            none.
        extra_laws: laws added to those of the robot.
        overwrite: whether an existing file may be replaced.

    Returns:
        The report of the FMU.

    >>> import tempfile
    >>> import gearwright as gw
    >>> report = fmu(gw.load("elbow"), tempfile.mkdtemp() + "/elbow.fmu", parameters=["j1.motor.inertia"])
    >>> report.inputs, report.parameters, report.outputs[:2]
    (('tau.j1', 'tau.j2', 'tau.j3'), ('j1.motor.inertia',), ('q.j1', 'q.j2'))
    """
    if version not in FMI_VERSIONS:
        raise InputError(f"{FMU_CALLER}: version={version!r} is unknown. {did_you_mean(version, FMI_VERSIONS)}")
    file = _writable_path(path, overwrite)
    model = robot_model(FMU_CALLER, robot, inputs, parameters, state, (laws, extra_laws))
    return _write_fmu(file, model, version)


def _write_fmu(file: Path, model: FmuModel, version: str) -> FmuReport:
    all_variables, texts, program = fmu_variables(model), source_files(version, model), find_compiler()
    contents: dict[str, str | bytes] = {f"sources/{name}": text for name, text in texts.items()}
    contents["modelDescription.xml"] = description_xml(model, all_variables, version)
    contents["documentation/index.html"] = documentation_page(model, all_variables)
    contents["documentation/licenses/fmi-headers.txt"] = licence_text(texts)
    if version == "3.0":
        contents["sources/buildDescription.xml"] = build_description(model.identifier, FMI_MAIN_FILES[version])
    folder, remarks = None, ()  # type: tuple[str | None, tuple[str, ...]]
    if program is None:
        remarks = (
            "no C compiler (gcc, cc, clang) was found: the FMU has sources only, which an importer must build. "
            "Install one and export again for a binary.",
        )
    else:
        folder = binary_folder(version)
        library = f"{model.identifier}{LIBRARY_ENDINGS[system_name()]}"
        contents[f"binaries/{folder}/{library}"] = compile_library(texts, version, model.identifier, program)
    try:
        write_archive(file, contents)
    except FileError as error:
        raise InputError(
            f"{FMU_CALLER}: cannot write {str(file)!r}: {str(error).rstrip('.')}. Give a writable path."
        ) from None
    kinds = {
        kind: tuple(variable.name for variable in all_variables if variable.kind in variable_kinds)
        for kind, variable_kinds in _REPORTED_KINDS.items()
    }
    renamed = {
        variable.meaning: variable.name
        for variable in all_variables
        if variable.kind in ("state", "input") and variable.meaning != variable.name
    }
    renamed |= {
        path: name for path, name in zip(model.open_model.parameters, kinds["parameters"], strict=True) if path != name
    }
    return FmuReport(file, folder, kinds["inputs"], kinds["parameters"], kinds["outputs"], renamed, remarks)


_REPORTED_KINDS = {"inputs": ("input",), "parameters": ("parameter",), "outputs": ("state", "output")}


def _writable_path(path: str | Path, overwrite: bool) -> Path:
    file = Path(path)
    if file.suffix != ".fmu":
        raise InputError(f"{FMU_CALLER}: {str(path)!r} does not end in .fmu. Add this ending.")
    if file.is_dir():
        raise InputError(f"{FMU_CALLER}: {str(path)!r} is a folder. Give the path of a file.")
    if file.exists() and not overwrite:
        raise InputError(
            f"{FMU_CALLER}: {str(path)!r} exists already. Give another path, or overwrite=True (--overwrite)."
        )
    if not file.parent.is_dir():
        raise InputError(f"{FMU_CALLER}: the folder {str(file.parent)!r} does not exist. Create it first.")
    return file
