"""A machine whose numbers are symbols, for reading its equations."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from gearwright.algebra import ZERO, Inertia, Rot, Scalar, Tensor, Vec, is_number
from gearwright.dynamics.regressor import BODY_PARAMETERS
from gearwright.equations.symbol_names import NUMBERED, SymbolNames
from gearwright.equations.trig_polynomial import symbol
from gearwright.errors import InputError, JointError
from gearwright.mechanism import Actuator, Body, Mechanism, Spin, Spring

KINDS = ("inertias", "lengths", "ratios", "gravity", "springs", "planets")
"""What may stay symbolic."""


@dataclass
class Names:
    """The symbols in use: name -> value, and what each means."""

    keep: Collection[str]
    called: SymbolNames = NUMBERED
    values: dict[str, float] = field(default_factory=dict)
    meanings: dict[str, str] = field(default_factory=dict)

    def scalar(self, kind: str, name: str, value: Scalar, meaning: str) -> Scalar:
        """A symbol for a number that is kept; the number itself if it is not, or is zero."""
        if not is_number(value):
            return value
        value = float(value)
        if abs(value) < 1e-14:
            return 0.0
        if kind not in self.keep and name not in self.keep:
            return value
        self.values[name], self.meanings[name] = value, meaning
        return symbol(name)


def symbolic_machine(
    mech: Mechanism,
    keep: Collection[str],
    ratios: Mapping[str, tuple[float, str]] | None = None,
    called: SymbolNames = NUMBERED,
) -> tuple[Mechanism, Names]:
    """The machine with symbols for what is kept and numbers for the rest; zeros stay zeros.

    Per body i the ten parameters about its origin, m1, mx1, ..., Ixx1, ...; positions lx1, ly1, lz1, pitch h1; per
    spin J1, ... and its ratios k1, ...; gravity g; stiffness K1 and damping D1 per spring; `called` may name them in
    another way. `ratios` are symbols that rows of spins contain already, with value and meaning.
    """
    _refuse(mech)
    names = Names(keep, called)
    for name, (value, meaning) in (ratios or {}).items():
        names.values[name], names.meanings[name] = value, meaning
    machine = Mechanism(
        bodies=[_body(names, i + 1, body) for i, body in enumerate(mech.bodies)],
        spins=[_spin(names, mech, j + 1, spin) for j, spin in enumerate(mech.spins)],
        shafts=mech.shafts,
        springs=[_spring(names, j + 1, spring) for j, spring in enumerate(mech.springs)],
        actuators=[_actuator(names, mech, actuator) for actuator in mech.actuators],
        gravity=_gravity(names, mech.gravity),
    )
    unknown = [name for name in keep if name not in KINDS and name not in names.values]
    if unknown:
        raise InputError(
            f"closed form: there is nothing called {unknown[0]!r} to keep. Use {', '.join(KINDS)}, or a symbol's name."
        )
    return machine, names


def _refuse(mech: Mechanism) -> None:
    for body in mech.bodies:
        if body.kind.space.quaternion is not None:
            raise JointError(
                f"closed form: body {body.name!r} has a {body.joint} joint, which has no angle to write. "
                "Replace it by revolute and prismatic joints."
            )


def parameters_of(body: Body, inertia: Inertia, called: SymbolNames) -> dict[str, Scalar]:
    """The ten parameters about the body's origin, in the axes in which they are named."""
    turned = inertia.moved(_snapped(called.axes(body)).T, ZERO)
    return dict(zip(BODY_PARAMETERS, turned, strict=True))


def _body(names: Names, number: int, body: Body) -> Body:
    kept = {
        key: names.scalar("inertias", names.called.inertial(key, number), value, f"{body.name}.{key}")
        for key, value in parameters_of(body, body.about_origin, names.called).items()
    }
    axes = _snapped(names.called.axes(body))
    mass, moment = kept["m"], axes @ Vec(kept["mcx"], kept["mcy"], kept["mcz"])
    tensor = Tensor(*(kept[key] for key in BODY_PARAMETERS[4:])).rotated(axes)
    # Mass and first moment are one symbol each, so that their quotient is a monomial.
    com = ZERO if is_number(mass) and mass == 0 else moment * (1 / mass)
    return replace(
        body,
        mass=mass,
        com=com,
        inertia=tensor - Tensor.point(com, mass),
        position=_position(names, number, body),
        rotation=_snapped(body.rotation),
        axis=_rounded(body.axis),
        axis2=None if body.axis2 is None else _rounded(body.axis2),
        pitch=_pitch(names, number, body),
        effective=True,
    )


def _position(names: Names, number: int, body: Body) -> Vec:
    """Where the joint is in its parent: a sum of the lengths that have names, each along its direction."""
    total = ZERO
    for length in names.called.lengths(number, body):
        size = names.scalar("lengths", length.name, length.value, length.meaning)
        total = total + _rounded(length.direction) * size
    return total


def _pitch(names: Names, number: int, body: Body) -> Scalar | None:
    meaning = f"{body.name}: pitch of its joint [m/rad]"
    return None if body.pitch is None else names.scalar("lengths", f"h{number}", body.pitch, meaning)


def _spin(names: Names, mech: Mechanism, number: int, spin: Spin) -> Spin:
    called = names.called
    inertia = names.scalar("inertias", called.wheel(number, spin.name), spin.inertia, f"{spin.name}.J")
    single = len(spin.terms) == 1
    if any(not is_number(value) for _, value in spin.terms):  # its row is made of the ratios of a train
        names = Names(())
    ratio = {
        mech.speeds[index]: names.scalar(
            "ratios",
            called.ratio(number, spin.name) + ("" if single else f"_{index + 1}"),
            value,
            f"{spin.name} per {mech.speeds[index]}",
        )
        for index, value in spin.terms
    }
    coupling = None if spin.coupling is None else inertia * spin.coupling_share
    if coupling is not None and spin.coupling_share == 0:
        coupling = 0.0
    return replace(spin, inertia=inertia, ratio=ratio, coupling=coupling, axis=_rounded(spin.axis), rest=None)


def _actuator(names: Names, mech: Mechanism, actuator: Actuator) -> Actuator:
    """A motor whose row is that of a wheel has the wheel's ratio; any other row stays as it is."""
    for number, spin in enumerate(mech.spins, start=1):
        if spin.terms == actuator.terms and spin.name.startswith(f"{actuator.name}."):
            return replace(actuator, row=_spin(names, mech, number, spin).ratio)
    return replace(actuator, row={mech.speeds[index]: value for index, value in actuator.terms})


def _spring(names: Names, number: int, spring: Spring) -> Spring:
    stiffness = names.scalar("springs", f"K{number}", spring.stiffness, f"{spring.name}.stiffness")
    damping = names.scalar("springs", f"D{number}", spring.damping, f"{spring.name}.damping")
    return replace(spring, stiffness=stiffness, damping=damping)


def _gravity(names: Names, gravity: Vec) -> list[Scalar]:
    """Gravity along a base axis as one symbol g > 0; any other direction in numbers."""
    size = max(abs(x) for x in gravity)
    if sum(1 for x in gravity if x) != 1:
        return list(gravity)
    g = names.scalar("gravity", "g", size, "acceleration of gravity [m/s2]")
    return [g * (1.0 if x > 0 else -1.0) if x else 0.0 for x in gravity]


def _rounded(v: Vec) -> Vec:
    """Entries that are 0 or +-1 but for rounding, made exact."""
    return Vec(*(round(x) * 1.0 if abs(x - round(x)) < 1e-12 else x for x in v))


def _snapped(R: Rot) -> Rot:
    return Rot(_rounded(R.a), _rounded(R.b), _rounded(R.c))
