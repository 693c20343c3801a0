"""The control law: a controller written once, for generic scalars.

A control law gets measured q and v, references and its own states, and returns outputs and the changes of its states.
Like force laws it branches only by the operations (`ops.where`, `minimum`, `maximum`). The same code therefore runs in
a simulation, in compiled batches, as a kernel and as C on a real robot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from gearwright.algebra import Operations, Scalar
from gearwright.dynamics.pose import Pose, place_machine
from gearwright.errors import InputError
from gearwright.forces import Quantity
from gearwright.mechanism import Mechanism
from gearwright.programs.program import Inputs, VectorProgram
from gearwright.system.vector_program import vector_program
from gearwright.text import listed_names

Q, V, SENSORS, STATES = "q", "v", "sensors", "states"
"""Inputs of a control law other than its references: configuration, speeds, sensors, and its own states."""


@dataclass(frozen=True)
class Measurement:
    """The inputs of a control law at one instant.

    Args:
        q: measured configuration, (nq).
        v: measured speeds, (n).
        reference: the values of each reference of the law.
        states: the law's own states.
        ops: operations of the scalars.
        model: the machine model of the law.
        sensors: further measurements, in the order of the law's `sensors`.
    """

    q: Sequence[Scalar]
    v: Sequence[Scalar]
    reference: Mapping[str, Sequence[Scalar]]
    states: Sequence[Scalar]
    ops: Operations
    model: Mechanism
    sensors: Sequence[Scalar] = ()

    @cached_property
    def pose(self) -> Pose:
        """The placements of the model at the measured configuration."""
        return place_machine(self.model, self.q, self.ops)


@dataclass(frozen=True)
class Decision:
    """The outputs of a control law, and the changes of its states.

    Args:
        outputs: one value per output.
        rates: rates of its states, of a continuous law.
        next: next values of its states, of a sampled law.
        signals: its signals by name.
    """

    outputs: Sequence[Scalar]
    rates: Sequence[Scalar] = ()
    next: Sequence[Scalar] = ()
    signals: Mapping[str, Scalar] = field(default_factory=dict)


class ControlLaw:
    """The base class of control laws; a law is a frozen dataclass with a `mech` that overrides the methods it needs.

    `mech` is the controlled machine, whose q and v are measured. Outputs are inputs of a run: forces
    `tau.<speed>`, or `<motor>.torque`, `<motor>.current_reference`, `<motor>.voltage`.
    """

    mech: Mechanism

    @property
    def name(self) -> str:
        """The name of its kernel and C function."""
        return "controller"

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of its outputs."""
        return tuple(f"tau.{speed}" for speed in self.mech.speeds)

    @property
    def adds_forces(self) -> bool:
        """Whether its outputs `tau.<speed>` are added to the given forces; otherwise they replace them."""
        return True

    @property
    def references(self) -> Mapping[str, tuple[str, ...]]:
        """Its references: per input the names of its entries, such as {"q_ref": ..., "v_ref": ...}."""
        return {}

    @property
    def sensors(self) -> tuple[str, ...]:
        """Its measurements other than q and v: states of the run's laws by name, such as `pen.force.z.measured`."""
        return ()

    @property
    def states(self) -> tuple[Quantity, ...]:
        """Its states, such as integrals and filters, with their initial values."""
        return ()

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """Its signals."""
        return ()

    @property
    def period(self) -> float | None:
        """The sampling period [s]; None: continuous."""
        return None

    @property
    def model(self) -> Mechanism:
        """Its machine model; by default the controlled machine."""
        return self.mech

    def decide(self, measured: Measurement) -> Decision:
        """The outputs and the changes of the states for a measurement."""
        raise NotImplementedError

    def state_changes(self, decision: Decision) -> Sequence[Scalar]:
        """The next values of a sampled law's states, the rates of a continuous law's."""
        return decision.rates if self.period is None else decision.next


def checked_decision(law: ControlLaw, measured: Measurement) -> Decision:
    """The checked decision of a law: one value per output and state."""
    decision = law.decide(measured)
    if not isinstance(decision, Decision):
        raise InputError(f"controller {law.name!r}: `decide` returned {decision!r}. Return a gw.control.Decision.")
    word = "rates" if law.period is None else "next values"
    states = [x.name for x in law.states]
    for quantity, entries, names in (
        ("outputs", decision.outputs, law.outputs),
        (f"{word} of its states", law.state_changes(decision), states),
    ):
        if len(entries) != len(names):
            raise InputError(
                f"controller {law.name!r}: it returned {len(entries)} {quantity} instead of {len(names)} "
                f"({listed_names(names)}). "
                "Return one for each."
            )
    return decision


def law_inputs(law: ControlLaw) -> dict[str, tuple[str, ...]]:
    """The inputs of a law's program in order, with the names of all entries; sensors and states if it has any."""
    inputs = {Q: tuple(law.mech.coordinates), V: tuple(law.mech.speeds), **law.references}
    inputs |= {SENSORS: law.sensors} if law.sensors else {}
    return {**inputs, STATES: tuple(x.name for x in law.states)} if law.states else inputs


def law_program(law: ControlLaw, signals: bool = False) -> VectorProgram:
    """A law as a program: q, v, references, states -> outputs and changes of the states; or its signals.

    With parameters as inputs the law uses the machine with these parameters, unless it has its own model.
    """
    names = law_inputs(law)

    def run_law(mech: Mechanism, ops: Operations, arguments: Inputs) -> list[Scalar]:
        decision = checked_decision(
            law, measurement_of(law, arguments, ops, mech if law.model is law.mech else law.model)
        )
        if signals:
            return [decision.signals[x.name] for x in law.signals]
        return [*decision.outputs, *law.state_changes(decision)]

    sizes = {"outputs": len(law.outputs)}
    if law.states:
        sizes["rates" if law.period is None else "next"] = len(law.states)
    size = len(law.signals) if signals else sum(sizes.values())
    program = vector_program(law.name, {name: len(entries) for name, entries in names.items()}, size, run_law)
    if len(sizes) > 1 and not signals:
        return replace(program, names=names, parts=lambda _: {name: (count,) for name, count in sizes.items()})
    return replace(program, names=names)


def measurement_of(law: ControlLaw, arguments: Inputs, ops: Operations, model: Mechanism) -> Measurement:
    """The measurement of a law from named inputs."""
    reference = {name: arguments[name] for name in law.references}
    return Measurement(
        arguments[Q], arguments[V], reference, arguments.get(STATES, ()), ops, model, arguments.get(SENSORS, ())
    )
