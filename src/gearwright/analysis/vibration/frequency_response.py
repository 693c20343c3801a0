"""Frequency response of a machine to the torque of a motor: resonances and antiresonances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.analysis.vibration.closed_oscillators import Oscillator
from gearwright.analysis.vibration.complex_modes import ComplexArray, state_matrix
from gearwright.analysis.vibration.vibration_modes import full_configuration, linearised_oscillator
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number_array
from gearwright.arrays import Array
from gearwright.dynamics.elastic_drives import first_shaft
from gearwright.errors import InputError
from gearwright.functions import speed_directions
from gearwright.mechanism import Actuator, Mechanism, RobotOrMech
from gearwright.plots import NotebookFigure, Panel, panel_figure, save_if_path
from gearwright.programs import ClosedMechanism, machine_of
from gearwright.text import did_you_mean

OVERDAMPED_RATIO = 0.7
"""Damping ratio above which a pole has no peak and a zero no dip."""

INFINITE_ZERO_RATIO = 100.0
"""Zeros at this multiple of the highest natural frequency are zeros at infinity, made finite by rounding."""


@dataclass(frozen=True)
class FrequencyResponse(NotebookFigure):
    """Motion per torque of one motor over frequency.

    Args:
        motor: name of the motor.
        sides: names of the motor's shaft and of the joint that it drives.
        frequencies: (F,) [Hz].
        values: (F, sides) complex: position at the joint side per torque at the joint side [rad/Nm].
        resonances: natural frequencies of the modes that the motor excites [Hz].
        antiresonances: per side the frequencies at which its motion vanishes, or nearly [Hz].
    """

    motor: str
    sides: tuple[str, ...]
    frequencies: Array
    values: ComplexArray
    resonances: Array
    antiresonances: Mapping[str, Array]

    @property
    def speed_response(self) -> ComplexArray:
        """Speed per torque [rad/s per Nm], (F, sides) complex."""
        return self.values * (2j * np.pi * self.frequencies[:, None])

    @property
    def acceleration_response(self) -> ComplexArray:
        """Acceleration per torque [1/(kg m2)], (F, sides) complex: constant where the machine moves as a rigid body."""
        return self.speed_response * (2j * np.pi * self.frequencies[:, None])

    def plot(
        self,
        path: str | Path | None = None,
        *,
        others: Mapping[str, FrequencyResponse] | None = None,
        name: str | None = None,
    ) -> Any:
        """Figure of speed per torque [dB] over frequency, with a panel per side.

        Args:
            path: .png, .svg or .pdf file in which the figure is also saved.
            others: further responses by name, drawn over their own frequencies.
            name: of this response; by default that of the motor.
        """
        responses = {name or self.motor: self, **(others or {})}
        mixed = any(response.sides != self.sides for response in responses.values())
        panels = []
        for k, side in enumerate(("motor side", "joint side")[: len(self.sides)] if mixed else self.sides):
            curves = {
                title: _resampled_response(self.frequencies, response, k) for title, response in responses.items()
            }
            panels.append(Panel("speed / torque [dB rad/s/Nm]", curves, title=side))
        page = panel_figure(self.frequencies, "frequency [Hz]", panels, columns=len(panels), logarithmic=True)
        return save_if_path(page, path)


@check_arguments
def frequency_response(
    mech: RobotOrMech, q: ArrayLike, motor: str | int, frequencies: ArrayLike | None = None
) -> FrequencyResponse:
    r"""Return the frequency response of a motor's shaft and its joint to the motor torque, with the other motors free.

    $x = (K - \omega^2 M + i \omega D)^{-1} b$ about a configuration held against gravity. A motor with inertia J_m that
    drives a load J_l through a spring k has its resonance at $\sqrt{k (1/J_m + 1/J_l)}$, and at $\sqrt{k / J_l}$ its
    antiresonance.

    Args:
        mech: the machine, with springs.
        q: one configuration [rad, m], (nq,), or without the shafts.
        motor: name or index of an actuator.
        frequencies: [Hz], (F,); by default a range around the resonances.

    >>> import gearwright as gw
    >>> from gearwright.parts import Drive, Gear, Link, Motor, Robot
    >>> table = Link("table", mass=10, inertia=np.diag([0.5, 0.5, 1.0]))
    >>> drive = Drive("table", Motor(inertia=1e-4), Gear(ratio=100, stiffness=5000))
    >>> found = gw.analysis.frequency_response(gw.assemble(Robot("turntable", [table], [drive])), [0.0], "table")
    >>> found.resonances * 2 * np.pi, found.antiresonances["table.motor"] * 2 * np.pi
    (array([100.]), array([70.71067812]))
    """
    mech = machine_of("frequency_response", mech)
    system = linearised_oscillator(mech, q, "frequency_response")
    if system.M.ndim > 2:
        raise InputError("frequency_response: q must be one configuration. Call the function for each configuration.")
    actuator = _find_actuator(mech, motor)
    b = np.array(actuator.row, float)
    b = b / b[np.argmax(np.abs(b))]  # torque and motion at the joint side
    tree, G = mech.tree, np.eye(mech.n)
    if isinstance(mech, ClosedMechanism):
        G = speed_directions(mech, full_configuration(mech, q, "frequency_response"))
    sides = {_side_title(tree, b, actuator): b @ G, **{tree.speeds[k]: G[k] for k in _driven_joints(tree, b)}}
    b = b @ G
    poles = np.linalg.eigvals(state_matrix(*system)).astype(np.complex128)
    zeros = {name: _transmission_zeros(system, b, c, float(np.abs(poles).max())) for name, c in sides.items()}
    resonances = _uncancelled_frequencies(
        _oscillation_frequencies(poles), [_oscillation_frequencies(z) for z in zeros.values()]
    )
    antiresonances = {
        name: _uncancelled_frequencies(_oscillation_frequencies(z), [_oscillation_frequencies(poles)])
        for name, z in zeros.items()
    }
    f = _default_frequencies(resonances) if frequencies is None else _checked_frequencies(frequencies)
    values = _solve_response(system, b, np.stack(list(sides.values()), axis=1), f)
    return FrequencyResponse(actuator.name, tuple(sides), f, values, resonances, antiresonances)


def _find_actuator(mech: Mechanism, motor: str | int) -> Actuator:
    names = [actuator.name for actuator in mech.actuators]
    if isinstance(motor, str) and motor in names:
        return mech.actuators[names.index(motor)]
    if isinstance(motor, int) and 0 <= motor < len(names):
        return mech.actuators[motor]
    raise InputError(f"frequency_response: motor {motor!r} is unknown. {did_you_mean(motor, names)}")


def _side_title(mech: Mechanism, b: Array, actuator: Actuator) -> str:
    """The name of the speed that a motor drives, or the name of the motor if it drives a combination of speeds."""
    turned = np.flatnonzero(b)
    return mech.speeds[turned[0]] if len(turned) == 1 else f"{actuator.name} (motor)"


def _driven_joints(mech: Mechanism, b: Array) -> list[int]:
    """The joints connected to a motor by springs; none for a motor that drives joints directly."""
    first = first_shaft(mech)
    reached = set(np.flatnonzero(b).tolist())
    while not any(k < first for k in reached):
        tied = {k for spring in mech.springs for k, _ in spring.terms if any(j in reached for j, _ in spring.terms)}
        if tied <= reached:
            return []
        reached |= tied
    return sorted(k for k in reached if k < first and not b[k])


def _transmission_zeros(system: Oscillator, b: Array, c: Array, fastest: float) -> ComplexArray:
    """Transmission zeros: s at which a force along b leaves c . x at rest."""
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
    finite = np.abs(above) < INFINITE_ZERO_RATIO * np.abs(below)
    result: ComplexArray = fastest * above[finite] / below[finite]
    return result


def _oscillation_frequencies(roots: ComplexArray) -> Array:
    """Frequencies [Hz] of the roots with a peak or a dip."""
    w = np.abs(roots)
    oscillating = (roots.imag > 1e-6 * w.max(initial=0.0)) & (np.abs(roots.real) < OVERDAMPED_RATIO * w)
    return np.sort(w[oscillating]) / (2 * np.pi)


def _uncancelled_frequencies(frequencies: Array, other_lists: list[Array]) -> Array:
    """Frequencies without pole-zero cancellation in the other lists: modes that the motor excites."""
    remaining = [
        f for f in frequencies if not other_lists or not all(np.any(np.abs(x - f) < 1e-6 * f) for x in other_lists)
    ]
    return np.array(remaining)


def _default_frequencies(resonances: Array) -> Array:
    if not len(resonances):
        return np.geomspace(0.1, 1000.0, 1500)
    return np.geomspace(0.1 * resonances[0], 5 * resonances[-1], 1500)


def _checked_frequencies(stated: ArrayLike) -> Array:
    return number_array("frequency_response", "frequencies", stated, axes=1, above=0.0, unit="Hz")


def _solve_response(system: Oscillator, b: Array, sides: Array, f: Array) -> ComplexArray:
    w = 2 * np.pi * f[:, None, None]
    try:
        x = np.linalg.solve(system.K - w**2 * system.M + 1j * w * system.D, b[:, None].astype(complex))
    except np.linalg.LinAlgError:
        raise InputError(
            "frequency_response: one of the frequencies is an undamped resonance, where the response is infinite. "
            "Change this frequency slightly, or give the springs damping."
        ) from None
    return x[:, :, 0].astype(np.complex128) @ sides.astype(np.complex128)


def _resampled_response(f: Array, response: FrequencyResponse, side: int) -> Array:
    """One side of a response [dB] at other frequencies; nan outside its own range."""
    result: Array = np.interp(
        f, response.frequencies, _in_decibels(response.speed_response[:, side]), left=np.nan, right=np.nan
    )
    return result


def _in_decibels(values: ComplexArray) -> Array:
    size = np.abs(values)
    result: Array = 20 * np.log10(np.maximum(size, 1e-300))
    return result
