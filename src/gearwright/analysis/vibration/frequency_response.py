"""What a motor feels and moves when it shakes the machine: resonances and antiresonances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.analysis.vibration.complex_modes import Complex, state_matrix
from gearwright.analysis.vibration.vibration_modes import Oscillator, oscillator
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import numbers
from gearwright.arrays import Array
from gearwright.dynamics.elastic_drives import first_shaft
from gearwright.errors import InputError
from gearwright.mechanism import Actuator, Mechanism, RobotOrMech, machine_of
from gearwright.plots import Panel, figure, saved
from gearwright.plots.notebook import Shown
from gearwright.text import did_you_mean

SWINGS = 0.7
"""Damping ratio above which a pole makes no peak and a zero no dip."""

FAR = 100.0
"""Zeros so many times faster than the fastest mode are those at infinity, seen through rounding."""


@dataclass(frozen=True)
class FrequencyResponse(Shown):
    """Motion per torque of one motor over frequency.

    Args:
        motor: name of the motor.
        sides: what moves: the motor's shaft first, then the joint that it drives.
        frequencies: (F,) [Hz].
        values: (F, sides) complex: position at the joint side per torque at the joint side [rad/Nm].
        resonances: natural frequencies of the modes that the motor sees [Hz].
        antiresonances: per side the frequencies at which it stands still, or nearly [Hz].
    """

    motor: str
    sides: tuple[str, ...]
    frequencies: Array
    values: Complex
    resonances: Array
    antiresonances: Mapping[str, Array]

    @property
    def speeds(self) -> Complex:
        """Speed per torque [rad/s per Nm], (F, sides) complex."""
        return self.values * (2j * np.pi * self.frequencies[:, None])

    @property
    def accelerations(self) -> Complex:
        """Acceleration per torque [1/(kg m2)], (F, sides) complex: flat where the machine moves as a whole."""
        return self.speeds * (2j * np.pi * self.frequencies[:, None])

    def plot(
        self,
        path: str | Path | None = None,
        *,
        others: Mapping[str, FrequencyResponse] | None = None,
        name: str | None = None,
    ) -> Any:
        """Speed per torque [dB] over frequency, a panel per side.

        Args:
            path: .png, .svg or .pdf, where the figure is saved too.
            others: drawn beside it under their names, as far as their frequencies reach.
            name: its own; the motor's unless given.
        """
        drawn = {name or self.motor: self, **(others or {})}
        mixed = any(one.sides != self.sides for one in drawn.values())
        panels = []
        for k, side in enumerate(("motor side", "joint side")[: len(self.sides)] if mixed else self.sides):
            curves = {title: _seen_at(self.frequencies, one, k) for title, one in drawn.items()}
            panels.append(Panel("speed / torque [dB rad/s/Nm]", curves, title=side))
        page = figure(self.frequencies, "frequency [Hz]", panels, columns=len(panels), logarithmic=True)
        return saved(page, path)


@check_arguments
def frequency_response(
    mech: RobotOrMech, q: ArrayLike, motor: str | int, frequencies: ArrayLike | None = None
) -> FrequencyResponse:
    r"""How the shaft of a motor and the joint that it drives answer to its torque, the other motors free.

    $x = (K - \omega^2 M + i \omega D)^{-1} b$ about a configuration held against gravity. A motor with inertia J_m that
    drives a load J_l through a spring k has its resonance at $\sqrt{k (1/J_m + 1/J_l)}$, and at $\sqrt{k / J_l}$ the
    load keeps it from moving.

    Args:
        mech: the machine, with springs.
        q: one configuration [rad, m], (nq,), or without the shafts.
        motor: name or index of an actuator.
        frequencies: [Hz], (F,); a range about the resonances unless given.

    >>> import gearwright as gw
    >>> from gearwright.parts import Drive, Gear, Link, Motor, Robot
    >>> table = Link("table", mass=10, inertia=np.diag([0.5, 0.5, 1.0]))
    >>> drive = Drive("table", Motor(inertia=1e-4), Gear(ratio=100, stiffness=5000))
    >>> found = gw.analysis.frequency_response(gw.assemble(Robot("turntable", [table], [drive])), [0.0], "table")
    >>> found.resonances * 2 * np.pi, found.antiresonances["table.motor"] * 2 * np.pi
    (array([100.]), array([70.71067812]))
    """
    mech = machine_of("frequency_response", mech)
    system = oscillator(mech, q, "frequency_response")
    if system.M.ndim > 2:
        raise InputError("frequency_response: q must be one configuration. Call it for each of them.")
    actuator = _actuator(mech, motor)
    b = np.array(actuator.row, float)
    b = b / b[np.argmax(np.abs(b))]  # torque and motion at the joint side
    sides = {_title(mech, b, actuator): b, **{mech.speeds[k]: np.eye(mech.n)[k] for k in _driven(mech, b)}}
    poles = np.linalg.eigvals(state_matrix(*system)).astype(np.complex128)
    zeros = {name: _zeros(system, b, c, float(np.abs(poles).max())) for name, c in sides.items()}
    resonances = _visible(_swinging(poles), [_swinging(z) for z in zeros.values()])
    still = {name: _visible(_swinging(z), [_swinging(poles)]) for name, z in zeros.items()}
    f = _range(resonances) if frequencies is None else _frequencies(frequencies)
    values = _solved(system, b, np.stack(list(sides.values()), axis=1), f)
    return FrequencyResponse(actuator.name, tuple(sides), f, values, resonances, still)


def _actuator(mech: Mechanism, motor: str | int) -> Actuator:
    names = [actuator.name for actuator in mech.actuators]
    if isinstance(motor, str) and motor in names:
        return mech.actuators[names.index(motor)]
    if isinstance(motor, int) and 0 <= motor < len(names):
        return mech.actuators[motor]
    raise InputError(f"frequency_response: there is no motor {motor!r}. {did_you_mean(motor, names)}")


def _title(mech: Mechanism, b: Array, actuator: Actuator) -> str:
    """The speed that a motor turns, or its own name where it turns a combination of them."""
    turned = np.flatnonzero(b)
    return mech.speeds[turned[0]] if len(turned) == 1 else f"{actuator.name} (motor)"


def _driven(mech: Mechanism, b: Array) -> list[int]:
    """The joints nearest to a motor along springs; none for a motor that turns joints itself."""
    first = first_shaft(mech)
    reached = set(np.flatnonzero(b).tolist())
    while not any(k < first for k in reached):
        tied = {k for spring in mech.springs for k, _ in spring.terms if any(j in reached for j, _ in spring.terms)}
        if tied <= reached:
            return []
        reached |= tied
    return sorted(k for k in reached if k < first and not b[k])


def _zeros(system: Oscillator, b: Array, c: Array, fastest: float) -> Complex:
    """S at which a force along b leaves c . x at rest: the system cut by both, in units of the fastest mode."""
    from scipy.linalg import eig, null_space

    N, R = null_space(b[None]), null_space(c[None])
    M, D, K = (N.T @ x @ R * scale for x, scale in zip(system, (fastest**2, fastest, 1.0), strict=True))
    m = len(M)
    if not m:
        return np.empty(0, np.complex128)
    size = np.abs(K).max()
    left = np.block([[np.zeros((m, m)), np.eye(m)], [-K / size, -D / size]])
    right = np.block([[np.eye(m), np.zeros((m, m))], [np.zeros((m, m)), M / size]])
    above, below = eig(left, right, right=False, homogeneous_eigvals=True)
    finite = np.abs(above) < FAR * np.abs(below)
    result: Complex = fastest * above[finite] / below[finite]
    return result


def _swinging(roots: Complex) -> Array:
    """Frequencies [Hz] of the roots that make a peak or a dip."""
    w = np.abs(roots)
    kept = (roots.imag > 1e-6 * w.max(initial=0.0)) & (np.abs(roots.real) < SWINGS * w)
    return np.sort(w[kept]) / (2 * np.pi)


def _visible(frequencies: Array, others: list[Array]) -> Array:
    """Frequencies that do not cancel against one of every other list: what a motor cannot excite it does not see."""
    kept = [f for f in frequencies if not others or not all(np.any(np.abs(x - f) < 1e-6 * f) for x in others)]
    return np.array(kept)


def _range(resonances: Array) -> Array:
    if not len(resonances):
        return np.geomspace(0.1, 1000.0, 1500)
    return np.geomspace(0.1 * resonances[0], 5 * resonances[-1], 1500)


def _frequencies(given: ArrayLike) -> Array:
    return numbers("frequency_response", "frequencies", given, axes=1, above=0.0, unit="Hz")


def _solved(system: Oscillator, b: Array, sides: Array, f: Array) -> Complex:
    w = 2 * np.pi * f[:, None, None]
    try:
        x = np.linalg.solve(system.K - w**2 * system.M + 1j * w * system.D, b[:, None].astype(complex))
    except np.linalg.LinAlgError:
        raise InputError(
            "frequency_response: one of the frequencies is a resonance without any damping, where the response is "
            "infinite. Move it a little, or give the springs damping."
        ) from None
    return x[:, :, 0].astype(np.complex128) @ sides.astype(np.complex128)


def _seen_at(f: Array, one: FrequencyResponse, side: int) -> Array:
    """One side of a response [dB] at other frequencies; nothing beyond its own."""
    result: Array = np.interp(f, one.frequencies, _decibels(one.speeds[:, side]), left=np.nan, right=np.nan)
    return result


def _decibels(values: Complex) -> Array:
    size = np.abs(values)
    result: Array = 20 * np.log10(np.maximum(size, 1e-300))
    return result
