"""All choices of one joint at once: what the motion asks of each, and how much of its limits that takes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gearwright.algebra.operations import ARRAYS
from gearwright.analysis.quadrature import trapezoid_weights
from gearwright.arrays import Array
from gearwright.design.candidates import Candidates
from gearwright.forces.dc_equations import DcEquations
from gearwright.forces.losses_mesh import Mesh
from gearwright.motion import Motion


@dataclass(frozen=True)
class Screening:
    """What a motion asks of every choice of one joint.

    Args:
        use: per limit the share of it that is taken, (C,).
        energy: electrical energy over the motion [J], with regeneration, (C,).
    """

    use: dict[str, Array]
    energy: Array

    @property
    def worst(self) -> Array:
        """The largest share of any limit, (C,)."""
        return np.max(list(self.use.values()), axis=0)


def screen(some: Candidates, motion: Motion, carried: Array) -> Screening:
    r"""What a motion asks of choices for one joint.

    With the load L at the joint, ratio n, and the motor's speed $\omega = n v$: the gear passes $O = L / n$; it takes
    $O / \eta$ from the motor where $\omega O > 0$ and hands back $\eta_b O$ where it does not; the rotor itself takes
    $J (n Y^2 + Y^1)$, and the bearings their friction. The voltage is $R i + K \omega$: what the inductance adds is
    left to the analysis of the winner.

    Args:
        some: the choices.
        motion: of all joints.
        carried: force at the joint of the machine with all other drives, without this one, (T,) or (C, T).
    """
    basis, t = some.basis, motion.t
    at = basis.at
    speed = some.ratio[:, None] * motion.v[:, at]
    sense = np.sign(speed)
    load = carried + some.mass[:, None] * basis.mass[:, at] + some.inertia[:, None] * basis.rest[:, at]
    passed = load / some.ratio[:, None]
    mesh = Mesh(some.efficiency[:, None], some.back_efficiency[:, None], some.no_load[:, None], 0.0)
    entering = np.where(sense == 0, passed, mesh.taken(passed, sense, ARRAYS))
    own = some.inertia[:, None] * (some.ratio[:, None] * basis.second[:, at] + basis.first[:, at])
    torque = entering + own + some.coulomb[:, None] * sense + some.viscous[:, None] * speed
    motor = DcEquations(some.constant[:, None], some.constant[:, None], some.resistance[:, None])
    current = motor.current(torque)
    voltage = motor.voltage(current, 0.0, speed)
    weight = trapezoid_weights(t)
    span = float(weight.sum())
    squares = (current**2) @ weight / span
    turned = np.abs(speed) @ weight
    mean = (np.abs(speed) * np.abs(load) ** 3) @ weight / np.maximum(turned, 1e-300)
    values = {
        "peak motor torque": np.abs(torque).max(axis=1),
        "motor speed": np.abs(speed).max(axis=1),
        "voltage": np.abs(voltage).max(axis=1),
        "continuous motor torque": np.sqrt((torque**2) @ weight / span),
        "continuous motor speed": turned / span,
        "winding above air": squares,
        "gearbox peak torque": np.abs(load).max(axis=1),
        "gearbox mean torque": np.cbrt(mean),
        "gearbox input speed": np.abs(speed).max(axis=1),
        "gearbox mean input speed": turned / span,
    }
    return Screening(
        {name: value / some.limits[name] for name, value in values.items()},
        energy=(voltage * current) @ weight,
    )
