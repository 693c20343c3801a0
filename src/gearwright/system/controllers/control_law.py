"""The control law: a controller written once, over scalars of any kind.

A control law sees measured q and v, references and its own states, and decides outputs and what becomes of its states.
It branches by the operations alone (`ops.where`, `minimum`, `maximum`), as force laws do, so that the same text runs in
a simulation, in compiled batches, as a kernel and as C on a real robot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from gearwright.algebra import Operations, Scalar
from gearwright.dynamics.pose import Pose, place
from gearwright.errors import InputError
from gearwright.forces.law import Quantity
from gearwright.mechanism import Mechanism
from gearwright.programs.program import Inputs, VectorProgram
from gearwright.system.vector_program import vector_program
from gearwright.text import listed

Q, V, SENSORS, STATES = "q", "v", "sensors", "states"
"""Inputs of a control law beside its references: configuration, speeds, what else is measured, and its own states."""


@dataclass(frozen=True)
class Measurement:
    """What a control law sees at one instant.

    Args:
        q: measured configuration, (nq).
        v: measured speeds, (n).
        reference: per reference of the law its numbers.
        states: the law's own states.
        ops: operations of the scalars.
        model: the machine that the law computes with.
        sensors: what else is measured, in the order of the law's `sensors`.
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
        """The model, placed where the machine is measured to be."""
        return place(self.model, self.q, self.ops)


@dataclass(frozen=True)
class Decision:
    """What a control law decides.

    Args:
        outputs: one number per output.
        rates: rates of its states, of a continuous law.
        next: next values of its states, of a sampled law.
        signals: what it reports, by name.
    """

    outputs: Sequence[Scalar]
    rates: Sequence[Scalar] = ()
    next: Sequence[Scalar] = ()
    signals: Mapping[str, Scalar] = field(default_factory=dict)


class ControlLaw:
    """The base of all control laws; a law is a frozen dataclass with a `mech` that overrides what it needs.

    `mech` is the machine that is controlled: its q and v are measured. Outputs are inputs of a run: forces
    `tau.<speed>`, or `<motor>.torque`, `<motor>.current_reference`, `<motor>.voltage`.
    """

    mech: Mechanism

    @property
    def name(self) -> str:
        """What the kernel and the C function are called."""
        return "controller"

    @property
    def outputs(self) -> tuple[str, ...]:
        """What it drives."""
        return tuple(f"tau.{speed}" for speed in self.mech.speeds)

    @property
    def adds_forces(self) -> bool:
        """Whether its outputs `tau.<speed>` are added to the forces given; otherwise they replace them."""
        return True

    @property
    def references(self) -> Mapping[str, tuple[str, ...]]:
        """What it is to follow: per input the names of its entries, such as {"q_ref": ..., "v_ref": ...}."""
        return {}

    @property
    def sensors(self) -> tuple[str, ...]:
        """What it measures beside q and v: states of the run's laws by name, such as `pen.force.z.measured`."""
        return ()

    @property
    def states(self) -> tuple[Quantity, ...]:
        """Its states, such as integrals and filters, with their values at the start."""
        return ()

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """What it reports."""
        return ()

    @property
    def period(self) -> float | None:
        """Time between two decisions [s]; None: it decides all the time."""
        return None

    @property
    def model(self) -> Mechanism:
        """The machine that it computes with; the controlled one unless it knows another."""
        return self.mech

    def decide(self, measured: Measurement) -> Decision:
        """The outputs, and what becomes of the states."""
        raise NotImplementedError

    def changes(self, decision: Decision) -> Sequence[Scalar]:
        """The next values of a sampled law's states, the rates of a continuous law's."""
        return decision.rates if self.period is None else decision.next


def decided(law: ControlLaw, measured: Measurement) -> Decision:
    """What a law decides, with one number per output and state; anything else is refused."""
    decision = law.decide(measured)
    if not isinstance(decision, Decision):
        raise InputError(f"controller {law.name!r}: `decide` returned {decision!r}. Return a gw.control.Decision.")
    word = "rates" if law.period is None else "next values"
    states = [x.name for x in law.states]
    for what, found, names in (
        ("outputs", decision.outputs, law.outputs),
        (f"{word} of its states", law.changes(decision), states),
    ):
        if len(found) != len(names):
            raise InputError(
                f"controller {law.name!r}: it decided {len(found)} {what}, not {len(names)} ({listed(names)}). "
                "Return one each."
            )
    return decision


def law_inputs(law: ControlLaw) -> dict[str, tuple[str, ...]]:
    """What the program of a law takes, in order, with the names of all entries; sensors and states where it has any."""
    found = {Q: tuple(law.mech.coordinates), V: tuple(law.mech.speeds), **law.references}
    found |= {SENSORS: law.sensors} if law.sensors else {}
    return {**found, STATES: tuple(x.name for x in law.states)} if law.states else found


def law_program(law: ControlLaw, signals: bool = False) -> VectorProgram:
    """A law as a program: q, v, references, states -> outputs and changes of the states; or its signals.

    With parameters that stay inputs the law computes with the machine that has them, unless it knows another one.
    """
    names = law_inputs(law)

    def run(mech: Mechanism, ops: Operations, given: Inputs) -> list[Scalar]:
        decision = decided(law, measurement_of(law, given, ops, mech if law.model is law.mech else law.model))
        if signals:
            return [decision.signals[x.name] for x in law.signals]
        return [*decision.outputs, *law.changes(decision)]

    sizes = {"outputs": len(law.outputs)}
    if law.states:
        sizes["rates" if law.period is None else "next"] = len(law.states)
    size = len(law.signals) if signals else sum(sizes.values())
    program = vector_program(law.name, {name: len(entries) for name, entries in names.items()}, size, run)
    if len(sizes) > 1 and not signals:
        return replace(program, names=names, parts=lambda _: {name: (count,) for name, count in sizes.items()})
    return replace(program, names=names)


def measurement_of(law: ControlLaw, given: Inputs, ops: Operations, model: Mechanism) -> Measurement:
    """What a law sees of named inputs."""
    reference = {name: given[name] for name in law.references}
    return Measurement(given[Q], given[V], reference, given.get(STATES, ()), ops, model, given.get(SENSORS, ()))
