"""Synthesis of trains that couple several joints: all numbers of teeth that give a required structure matrix.

A template robot states the arrangement of wheels and meshes. Each element of its structure matrix (motor speed / joint
speed) is a product of numbers of teeth and their inverses, or constant; the exponents are found from the template. The
elements are then satisfied in sequence: all but the last free number of teeth of an element are enumerated, and the
last one follows from the element's tolerance, so that no train is missed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number_array, real_number
from gearwright.arrays import Array
from gearwright.design.candidates.gear_synthesis import MAX_TRAINS, TrainSpace
from gearwright.errors import InputError
from gearwright.forces.transmission.train_statics import TrainStatics, torque_shares
from gearwright.functions.actuation import structure_matrix
from gearwright.functions.dynamics import mass_matrix
from gearwright.mechanism import Mechanism, assemble_tree
from gearwright.mechanism.assembly.assemble import parents_first
from gearwright.mechanism.assembly.trains import TrainStructure
from gearwright.parts import Mesh, Robot, Train
from gearwright.text import did_you_mean

CALLER = "synthesise_coupled_trains"
DISC_FIELDS = ("inertia", "mass", "transverse_inertia")
EXPONENT_ROUNDING = 1e-6
"""Deviation [1] of an exponent from a whole number that counts as rounding."""

RATIO_ROUNDING = 1e-12
"""Relative rounding [1] of a product of ratios."""


class ToothedWheel(NamedTuple):
    """A gear of a wheel or link, identified by its number of teeth in the template: equal numbers are one gear."""

    wheel: str
    teeth: int


@dataclass(frozen=True)
class CoupledTrain:
    """Trains with a required structure matrix.

    Args:
        robot: the template with these teeth, and wheels that are discs of their pitch radii.
        teeth: teeth of both gears per mesh, in the order of the meshes.
        structure: motor speed / joint speed, (motors, joints).
        inertia: trace of the inertia of all wheels at the motors, in the zero configuration [kg m2].
        loss: share of the power that the meshes lose to first order, mean over motions of a single joint.
        stiffness: of all meshes at the joints, motors held: least of all directions [Nm/rad].
        diameter: largest pitch diameter [m].
        size: sum of the cylinders around the gears [m3].
    """

    robot: Robot
    teeth: tuple[tuple[int, int], ...]
    structure: Array
    inertia: float
    loss: float
    stiffness: float
    diameter: float
    size: float


@check_arguments
def synthesise_coupled_trains(
    robot: Robot,
    structure: ArrayLike,
    space: TrainSpace,
    tolerance: float = 0.005,
    rank: Literal["inertia", "loss", "stiffness", "size"] = "inertia",
    meshes: Sequence[str] | None = None,
) -> tuple[CoupledTrain, ...]:
    """Return all trains of a template whose structure matrix has the required elements, the best first.

    Gears whose numbers of teeth do not affect the structure matrix (idlers), and those of other meshes than the named
    ones, keep the numbers of the template.

    Args:
        robot: the template: a robot whose motors drive through trains with numbers of teeth.
        structure: required motor speed / joint speed, (motors, joints), in the order of `gw.assemble(robot).actuators`
            and of its speeds.
        space: range of the teeth, module, width, density, efficiency and stiffness of the meshes.
        tolerance: largest relative error of each element.
        rank: "inertia", "loss" or "size" (smallest first), or "stiffness" (largest first).
        meshes: names "first-second" of the meshes whose teeth vary; None: all.

    >>> import gearwright as gw
    >>> wrist, space = gw.load("wrist_puma"), TrainSpace(teeth=(14, 40))
    >>> required = [[-5, 0, 0], [-4, -6, 0], [-3, 3, 4.5]]            # the second motor turns with joint 2 by 6
    >>> trains = synthesise_coupled_trains(wrist, required, space, 0.0, "size", meshes=["tube5-link2", "bevel6-link3"])
    >>> len(trains), trains[0].teeth[3:]
    (49, ((14, 21), (22, 22), (14, 21)))
    """
    real_number(CALLER, "tolerance", tolerance, least=0.0, below=1.0)
    template = _Template(robot)
    required = _required_elements(template, structure, tolerance)
    teeth = _all_teeth(required, space.teeth, template, template.kept_gears(meshes))
    trains = [template.build_train(space, choice) for choice in teeth]
    sense = -1.0 if rank == "stiffness" else 1.0
    return tuple(sorted(trains, key=lambda train: (sense * getattr(train, rank), train.size, train.teeth)))


class _Element(NamedTuple):
    """An element of the structure matrix: exponents of the teeth, and the allowed range of the product of powers."""

    exponents: Mapping[ToothedWheel, int]
    low: float
    high: float


class _Template:
    """The arrangement of a robot's trains with variable numbers of teeth."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._meshes: list[Mesh] = [mesh for train in robot.trains for mesh in train.meshes]
        for mesh in self._meshes:
            if mesh.teeth is None:
                raise InputError(
                    f"{CALLER}: mesh {mesh.title} of the template has no numbers of teeth. Give teeth instead of a "
                    "ratio or radii."
                )
        if not self._meshes:
            raise InputError(
                f"{CALLER}: robot {robot.name!r} has no trains. Give a template with trains, such as a wrist."
            )

    @cached_property
    def gears_by_mesh(self) -> list[tuple[ToothedWheel, ToothedWheel]]:
        """Both gears of each mesh."""
        sides = [zip((mesh.first, mesh.second), mesh.teeth or (), strict=True) for mesh in self._meshes]
        pairs = [[ToothedWheel(wheel, int(teeth)) for wheel, teeth in side] for side in sides]
        return [(first, second) for first, second in pairs]

    @cached_property
    def gears(self) -> tuple[ToothedWheel, ...]:
        """All gears, each once."""
        return tuple(dict.fromkeys(gear for pair in self.gears_by_mesh for gear in pair))

    def kept_gears(self, names: Sequence[str] | None) -> dict[ToothedWheel, int]:
        """The gears that belong to none of the named meshes, with their teeth."""
        titles = [f"{mesh.first}-{mesh.second}" for mesh in self._meshes]
        for name in names or ():
            if name not in titles:
                raise InputError(f"{CALLER}: there is no mesh {name!r}. {did_you_mean(name, titles)}")
        pairs = zip(titles, self.gears_by_mesh, strict=True)
        varied = {gear for title, pair in pairs if names is None or title in names for gear in pair}
        return {gear: gear.teeth for gear in self.gears if gear not in varied}

    @cached_property
    def structure(self) -> Array:
        """The structure matrix of the template, (motors, joints)."""
        return self._structure_with({})

    def _structure_with(self, factors: Mapping[ToothedWheel, float]) -> Array:
        """The structure matrix with the ratios of teeth multiplied by factors of the gears."""
        ratios = []
        for mesh, (first, second) in zip(self._meshes, self.gears_by_mesh, strict=True):
            factor = factors.get(second, 1.0) / factors.get(first, 1.0)
            ratios.append(replace(mesh, teeth=None, ratio=float(mesh.signed_ratio) * factor))
        return _structure_of(self._with_meshes(ratios))

    def _with_meshes(self, meshes: Sequence[Mesh], trains: Sequence[Train] | None = None) -> Robot:
        remaining, changed = list(meshes), []
        for train in self._robot.trains if trains is None else trains:
            count = len(train.meshes)
            changed.append(replace(train, meshes=remaining[:count]))
            remaining = remaining[count:]
        return replace(self._robot, trains=changed)

    @cached_property
    def exponents(self) -> dict[ToothedWheel, Array]:
        """Per gear the exponent of its number of teeth in each element.

        Raises:
            InputError: an element is not a product of powers of numbers of teeth.
        """
        exponent_by_wheel = {}
        for gear in self.gears:
            per_factor = [self._log_change(gear, factor) for factor in (2.0, 3.0)]
            exponents = np.round(per_factor[0])
            wrong = np.abs(np.array(per_factor) - exponents).max(axis=0) > EXPONENT_ROUNDING
            if wrong.any():
                motor, joint = np.argwhere(wrong)[0]
                raise InputError(
                    f"{CALLER}: element ({motor}, {joint}) of the structure matrix is not a product of powers of the "
                    f"teeth of {gear.wheel!r}, because a gear moves with its carrier about the same axis. Give a "
                    "template without such planetary couplings."
                )
            exponent_by_wheel[gear] = exponents
        return exponent_by_wheel

    def _log_change(self, gear: ToothedWheel, factor: float) -> Array:
        """The exponent by which each element grows with a factor of the teeth; NaN where it changes its sign."""
        changed, nonzero = self._structure_with({gear: factor}), np.abs(self.structure) > RATIO_ROUNDING
        ratio = np.where(nonzero, changed / np.where(nonzero, self.structure, 1.0), 1.0)
        appeared = ~nonzero & (np.abs(changed) > RATIO_ROUNDING)
        with np.errstate(invalid="ignore", divide="ignore"):
            exponents: Array = np.where(appeared, np.inf, np.log(ratio) / math.log(factor))
        return np.nan_to_num(exponents, nan=0.5, posinf=0.5, neginf=0.5)

    def build_train(self, space: TrainSpace, teeth: Mapping[ToothedWheel, int]) -> CoupledTrain:
        """The robot with numbers of teeth and wheels that are discs, and its characteristics."""
        pairs = tuple((teeth[first], teeth[second]) for first, second in self.gears_by_mesh)
        meshes = [
            replace(mesh, teeth=pair, module=space.module, efficiency=space.mesh_efficiency)
            for mesh, pair in zip(self._meshes, pairs, strict=True)
        ]
        robot = self._with_meshes(meshes, [self._with_discs(train, space, teeth) for train in self._robot.trains])
        mech = assemble_tree(robot)
        structure = _actuator_rows(mech)
        loss, stiffness = _loss_and_stiffness(robot, mech, structure, space, pairs)
        at_motors = np.linalg.inv(structure)
        wheels = _inertia(mech) - _inertia(assemble_tree(_without_wheel_inertia(robot)))
        diameters = [space.module * z for z in teeth.values()]
        return CoupledTrain(
            robot,
            pairs,
            structure,
            float(np.trace(at_motors.T @ wheels @ at_motors)),
            loss,
            stiffness,
            max(diameters),
            sum(math.pi / 4 * d**2 * space.width for d in diameters),
        )

    def _with_discs(self, train: Train, space: TrainSpace, teeth: Mapping[ToothedWheel, int]) -> Train:
        """A train whose wheels are the discs of their gears; gears of links belong to the links."""
        wheels = []
        for wheel in train.wheels:
            discs = [space.disc(teeth[gear]) for gear in self.gears if gear.wheel == wheel.name]
            sums = {name: sum(getattr(disc, name) for disc in discs) for name in DISC_FIELDS}
            wheels.append(replace(wheel, coupling=None, **sums))
        return replace(train, wheels=wheels)


def _without_wheel_inertia(robot: Robot) -> Robot:
    trains = [
        replace(train, wheels=[replace(x, inertia=0.0, mass=0.0, transverse_inertia=0.0) for x in train.wheels])
        for train in robot.trains
    ]
    return replace(robot, trains=trains)


def _inertia(mech: Mechanism) -> Array:
    """The mass matrix in the zero configuration."""
    return mass_matrix(mech, np.zeros(mech.nq))


def _actuator_rows(mech: Mechanism) -> Array:
    rows: Array = np.asarray(structure_matrix(mech), dtype=float).T
    return rows


def _structure_of(robot: Robot) -> Array:
    return _actuator_rows(assemble_tree(robot))


def _required_elements(template: _Template, structure: ArrayLike, tolerance: float) -> list[_Element]:
    """The conditions on the numbers of teeth, one per element that they change.

    Raises:
        InputError: an element has another sign than in the template, or does not depend on the teeth and is wrong.
    """
    required = number_array(CALLER, "structure", structure, axes=2)
    present = template.structure
    if required.shape != present.shape or present.shape[0] != present.shape[1]:
        raise InputError(
            f"{CALLER}: structure has the shape {required.shape}; the template has {present.shape[0]} motors and "
            f"{present.shape[1]} joints. Give one row per motor and as many motors as joints."
        )
    elements = []
    for motor, joint in np.ndindex(*present.shape):
        exponents = {g: int(e[motor, joint]) for g, e in template.exponents.items() if e[motor, joint]}
        value, wanted = float(present[motor, joint]), float(required[motor, joint])
        if value * wanted < 0 or (not exponents and abs(value - wanted) > tolerance * abs(value) + RATIO_ROUNDING):
            raise InputError(
                f"{CALLER}: element ({motor}, {joint}) of the structure matrix is required to be {wanted:g}; in this "
                f"template it is {value:g} and teeth change {'its magnitude only' if exponents else 'nothing'}. Give "
                "another template, such as one with a further mesh."
            )
        if exponents:
            unit = abs(value) / math.prod(float(gear.teeth) ** power for gear, power in exponents.items())
            low, high = (abs(wanted) / unit * (1 + side * tolerance) for side in (-1, 1))
            elements.append(_Element(exponents, low * (1 - RATIO_ROUNDING), high * (1 + RATIO_ROUNDING)))
    return elements


def _all_teeth(
    elements: Sequence[_Element], limits: tuple[int, int], template: _Template, fixed_teeth: Mapping[ToothedWheel, int]
) -> list[dict[ToothedWheel, int]]:
    """All numbers of teeth that satisfy all elements; gears in none keep those of the template."""
    solutions = []
    for choice in _completed_teeth(elements, limits, fixed_teeth):
        solutions.append({gear: choice.get(gear, gear.teeth) for gear in template.gears})
        if len(solutions) > MAX_TRAINS:
            raise InputError(
                f"{CALLER}: more than {MAX_TRAINS} sets of teeth give this structure matrix. Give a smaller tolerance "
                "or range of teeth, or name fewer meshes."
            )
    return solutions


def _completed_teeth(
    elements: Sequence[_Element], limits: tuple[int, int], chosen: Mapping[ToothedWheel, int]
) -> Iterator[dict[ToothedWheel, int]]:
    """Yield the completions of some numbers of teeth; the element with the fewest free numbers comes first."""
    if not elements:
        yield dict(chosen)
        return
    element = min(elements, key=lambda x: sum(gear not in chosen for gear in x.exponents))
    others = [x for x in elements if x is not element]
    for choice in _teeth_of_element(element, limits, chosen):
        yield from _completed_teeth(others, limits, choice)


def _teeth_of_element(
    element: _Element, limits: tuple[int, int], chosen: Mapping[ToothedWheel, int]
) -> Iterator[Mapping[ToothedWheel, int]]:
    """Yield the completions of some numbers of teeth by the free ones of one element."""
    free = [gear for gear in element.exponents if gear not in chosen]
    known = math.prod(float(chosen[g]) ** e for g, e in element.exponents.items() if g in chosen)
    if not free:
        if element.low <= known <= element.high:
            yield chosen
        return
    low, high = limits
    if len(free) > 1:
        for teeth in range(low, high + 1):
            yield from _teeth_of_element(element, limits, {**chosen, free[0]: teeth})
        return
    power = element.exponents[free[0]]
    first, last = sorted((bound / known) ** (1 / power) for bound in (element.low, element.high))
    slack = 1e-9  # rounding of the root
    for teeth in range(max(low, math.ceil(first - slack)), min(high, math.floor(last + slack)) + 1):
        yield {**chosen, free[0]: teeth}


def _loss_and_stiffness(
    robot: Robot, mech: Mechanism, structure: Array, space: TrainSpace, pairs: Sequence[tuple[int, int]]
) -> tuple[float, float]:
    """The mean loss of motions of single joints, and the least stiffness at the joints.

    Unit torques of the joints give the torques of the motors, and these the torques through the meshes; the deflection
    of a mesh at its first gear is its torque over c b r^2.
    """
    statics = TrainStatics(TrainStructure(parents_first(robot.links), robot.trains), mech)
    motor_torques = np.linalg.inv(structure)  # (joints, motors): of unit torques of the joints
    names = [actuator.name for actuator in mech.actuators]
    on_wheels = np.zeros((mech.n, len(statics.mesh_matrices[0])))
    for source in statics.torque_sources:
        if source.port is not None:
            on_wheels += np.outer(motor_torques[:, names.index(source.port)], source.wheel_torques)
    through = on_wheels @ torque_shares(statics.mesh_matrices, np.ones(len(pairs))).T  # (joints, meshes)
    rolling = np.array([[row.get(name, 0.0) for name in mech.speeds] for row in statics.rolling_rows])
    lost = (1 - space.mesh_efficiency) * np.abs(through * rolling.T)
    radii = np.array([space.module * first / 2 for first, _ in pairs])
    compliance = (through / (space.mesh_stiffness * space.width * radii**2)) @ through.T
    return float(lost.sum(axis=1).mean()), float(1 / np.linalg.eigvalsh(compliance)[-1])
