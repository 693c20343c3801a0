"""modelDescription.xml of an FMU, for FMI 2.0 and 3.0."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from gearwright._version import __version__
from gearwright.export.fmi.model_source import FmuModel
from gearwright.export.fmi.variables import FmuVariable, base_unit_powers, used_units
from gearwright.text import visible_text, xml_text

EXPERIMENT_TOLERANCE = "1e-9"
VARIABLE_CAUSALITY = {
    "time": ("independent", "continuous", None),
    "state": ("output", "continuous", "exact"),
    "rate": ("local", "continuous", "calculated"),
    "input": ("input", "continuous", None),
    "parameter": ("parameter", "tunable", "exact"),
    "output": ("output", "continuous", "calculated"),
    "event": ("local", "continuous", "calculated"),
}
"""Causality, variability and initial attribute per kind of variable."""


def description_xml(model: FmuModel, all_variables: Sequence[FmuVariable], version: str) -> str:
    """Return the XML of one version."""
    root = Element("fmiModelDescription", _root_attributes(model, version))
    if version == "2.0":
        root.set("numberOfEventIndicators", str(model.event_count))
    _add_interfaces(root, model, version)
    _add_units(root, all_variables)
    SubElement(SubElement(root, "LogCategories"), "Category", name="logStatusError")
    SubElement(root, "DefaultExperiment", startTime="0", stopTime="1", tolerance=EXPERIMENT_TOLERANCE)
    if version == "2.0":
        described = [variable for variable in all_variables if variable.kind != "event"]
        _add_variables_2(SubElement(root, "ModelVariables"), described)
        _add_structure_2(SubElement(root, "ModelStructure"), described)
    else:
        _add_variables_3(SubElement(root, "ModelVariables"), all_variables)
        _add_structure_3(SubElement(root, "ModelStructure"), all_variables)
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + xml_text(tostring(root, encoding="unicode")) + "\n"


def _root_attributes(model: FmuModel, version: str) -> dict[str, str]:
    token = "guid" if version == "2.0" else "instantiationToken"
    return {
        "fmiVersion": version,
        "modelName": visible_text(model.name),
        token: model.instantiation_token,
        "description": f"{visible_text(model.name)}: a machine with its laws. SI units; forces at the gear output.",
        "generationTool": f"Gearwright {__version__}",
        "variableNamingConvention": "structured",
    }


def _add_interfaces(root: Element, model: FmuModel, version: str) -> None:
    two = version == "2.0"
    state, slopes = ("FMUstate", "") if two else ("FMUState", "s")
    common = {
        "modelIdentifier": model.identifier,
        f"canGetAndSet{state}": "true",
        f"canSerialize{state}": "true",
        f"providesDirectionalDerivative{slopes}": "true",
    }
    exchange = {} if two else {"needsCompletedIntegratorStep": "true"}
    stepping = {"canHandleVariableCommunicationStepSize": "true", **({"canInterpolateInputs": "true"} if two else {})}
    for name, more in (("ModelExchange", exchange), ("CoSimulation", stepping)):
        element = SubElement(root, name, {**common, **more})
        if two:
            SubElement(SubElement(element, "SourceFiles"), "File", name="fmi2.c")


def _add_units(root: Element, all_variables: Sequence[FmuVariable]) -> None:
    definitions = SubElement(root, "UnitDefinitions")
    for unit in used_units(all_variables):
        element, base = SubElement(definitions, "Unit", name=unit), base_unit_powers(unit)
        if base is not None:
            SubElement(element, "BaseUnit", {name: str(power) for name, power in base.items()})


def _variable_attributes(variable: FmuVariable, reference: int) -> dict[str, str]:
    causality, variability, initial = VARIABLE_CAUSALITY[variable.kind]
    attributes = {"name": variable.name, "valueReference": str(reference), "causality": causality}
    attributes |= {"variability": variability, "description": visible_text(variable.meaning)}
    return {**attributes, "initial": initial} if initial else attributes


def _unit_and_start(variable: FmuVariable) -> dict[str, str]:
    unit = {"unit": variable.unit} if variable.unit else {}
    return unit if variable.start is None else {**unit, "start": repr(float(variable.start))}


def _add_variables_2(root: Element, all_variables: Sequence[FmuVariable]) -> None:
    for k, variable in enumerate(all_variables):
        scalar = SubElement(root, "ScalarVariable", _variable_attributes(variable, k))
        SubElement(
            scalar,
            "Real",
            {
                **_unit_and_start(variable),
                **({} if variable.state is None else {"derivative": str(variable.state + 2)}),
            },
        )


def _add_structure_2(root: Element, all_variables: Sequence[FmuVariable]) -> None:
    """Write the model structure of FMI 2.0, with indices from 1."""
    places = {
        kind: [k + 1 for k, variable in enumerate(all_variables) if variable.kind == kind]
        for kind in VARIABLE_CAUSALITY
    }
    lists = {
        "Outputs": sorted([*places["state"], *places["output"]]),
        "Derivatives": places["rate"],
        "InitialUnknowns": sorted([*places["rate"], *places["output"]]),
    }
    for name, indices in lists.items():
        element = SubElement(root, name)
        for index in indices:
            SubElement(element, "Unknown", index=str(index))


def _add_variables_3(root: Element, all_variables: Sequence[FmuVariable]) -> None:
    for k, variable in enumerate(all_variables):
        rate = {} if variable.state is None else {"derivative": str(variable.state + 1)}
        SubElement(root, "Float64", {**_variable_attributes(variable, k), **_unit_and_start(variable), **rate})


def _add_structure_3(root: Element, all_variables: Sequence[FmuVariable]) -> None:
    """Write the model structure of FMI 3.0, with value references from 0."""
    lists = {
        "Output": ("state", "output"),
        "ContinuousStateDerivative": ("rate",),
        "InitialUnknown": ("rate", "output"),
        "EventIndicator": ("event",),
    }
    for name, kinds in lists.items():
        for k, variable in enumerate(all_variables):
            if variable.kind in kinds:
                SubElement(root, name, valueReference=str(k))
