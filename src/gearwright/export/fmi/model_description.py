"""modelDescription.xml of an FMU, for FMI 2.0 and 3.0."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from gearwright._version import __version__
from gearwright.export.fmi.model_source import FmuModel
from gearwright.export.fmi.variables import Variable, base_of, units
from gearwright.text import visible, xml

TOLERANCE = "1e-9"
CAUSALITY = {
    "time": ("independent", "continuous", None),
    "state": ("output", "continuous", "exact"),
    "rate": ("local", "continuous", "calculated"),
    "input": ("input", "continuous", None),
    "parameter": ("parameter", "tunable", "exact"),
    "output": ("output", "continuous", "calculated"),
    "event": ("local", "continuous", "calculated"),
}
"""Per kind of variable its causality, its variability, and how it is known at the start."""


def description(model: FmuModel, found: Sequence[Variable], version: str) -> str:
    """The XML of one version."""
    root = Element("fmiModelDescription", _head(model, version))
    if version == "2.0":
        root.set("numberOfEventIndicators", str(model.event_count))
    _interfaces(root, model, version)
    _units(root, found)
    SubElement(SubElement(root, "LogCategories"), "Category", name="logStatusError")
    SubElement(root, "DefaultExperiment", startTime="0", stopTime="1", tolerance=TOLERANCE)
    if version == "2.0":
        listed = [one for one in found if one.kind != "event"]
        _variables_2(SubElement(root, "ModelVariables"), listed)
        _structure_2(SubElement(root, "ModelStructure"), listed)
    else:
        _variables_3(SubElement(root, "ModelVariables"), found)
        _structure_3(SubElement(root, "ModelStructure"), found)
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + xml(tostring(root, encoding="unicode")) + "\n"


def _head(model: FmuModel, version: str) -> dict[str, str]:
    token = "guid" if version == "2.0" else "instantiationToken"
    return {
        "fmiVersion": version,
        "modelName": visible(model.name),
        token: model.token,
        "description": f"{visible(model.name)}: a machine with its laws. SI units; forces at the gear output.",
        "generationTool": f"Gearwright {__version__}",
        "variableNamingConvention": "structured",
    }


def _interfaces(root: Element, model: FmuModel, version: str) -> None:
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


def _units(root: Element, found: Sequence[Variable]) -> None:
    definitions = SubElement(root, "UnitDefinitions")
    for unit in units(found):
        element, base = SubElement(definitions, "Unit", name=unit), base_of(unit)
        if base is not None:
            SubElement(element, "BaseUnit", {name: str(power) for name, power in base.items()})


def _attributes(one: Variable, reference: int) -> dict[str, str]:
    causality, variability, initial = CAUSALITY[one.kind]
    described = {"name": one.name, "valueReference": str(reference), "causality": causality}
    described |= {"variability": variability, "description": visible(one.meaning)}
    return {**described, "initial": initial} if initial else described


def _numbers(one: Variable) -> dict[str, str]:
    unit = {"unit": one.unit} if one.unit else {}
    return unit if one.start is None else {**unit, "start": repr(float(one.start))}


def _variables_2(root: Element, found: Sequence[Variable]) -> None:
    for k, one in enumerate(found):
        scalar = SubElement(root, "ScalarVariable", _attributes(one, k))
        SubElement(
            scalar, "Real", {**_numbers(one), **({} if one.state is None else {"derivative": str(one.state + 2)})}
        )


def _structure_2(root: Element, found: Sequence[Variable]) -> None:
    """Places count from 1 there."""
    places = {kind: [k + 1 for k, one in enumerate(found) if one.kind == kind] for kind in CAUSALITY}
    lists = {
        "Outputs": sorted([*places["state"], *places["output"]]),
        "Derivatives": places["rate"],
        "InitialUnknowns": sorted([*places["rate"], *places["output"]]),
    }
    for name, indices in lists.items():
        element = SubElement(root, name)
        for index in indices:
            SubElement(element, "Unknown", index=str(index))


def _variables_3(root: Element, found: Sequence[Variable]) -> None:
    for k, one in enumerate(found):
        rate = {} if one.state is None else {"derivative": str(one.state + 1)}
        SubElement(root, "Float64", {**_attributes(one, k), **_numbers(one), **rate})


def _structure_3(root: Element, found: Sequence[Variable]) -> None:
    """Value references, which count from 0."""
    lists = {
        "Output": ("state", "output"),
        "ContinuousStateDerivative": ("rate",),
        "InitialUnknown": ("rate", "output"),
        "EventIndicator": ("event",),
    }
    for name, kinds in lists.items():
        for k, one in enumerate(found):
            if one.kind in kinds:
                SubElement(root, name, valueReference=str(k))
