"""The linear model of measured torques: inertial parameters, springs, friction, a payload."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number
from gearwright.arrays import Array
from gearwright.equations.base_parameters_numeric import BaseParameters, independent_parameters, random_states
from gearwright.errors import InputError
from gearwright.functions import parameters, regressor
from gearwright.identification.model.columns import (
    FRICTION_KINDS,
    FrictionKind,
    FrictionLine,
    ParameterColumn,
    friction_columns,
    friction_lines,
    machine_columns,
    payload_columns,
)
from gearwright.identification.model.sample_blocks import SampleBlocks
from gearwright.mechanism import Mechanism, RobotOrMech
from gearwright.motion import Motion
from gearwright.programs import machine_of
from gearwright.text import did_you_mean

PAYLOAD_TITLE = "payload"


@check_arguments
@dataclass(frozen=True)
class TorqueModel:
    """A linear model of measured torques, tau = Y(q, v, a) pi with named columns.

    The columns are those of `regressor` (bodies, spins, springs), then per speed those of friction, then ten of an
    optional payload:

        tau_i += viscous_i v_i + coulomb_i sign(v_i) + offset_i,     sign(v) = tanh(v / transition_speed)

    Args:
        mech: the machine; its parameters are the nominal (CAD) values.
        friction: friction columns of every speed.
        side: "motor": the torques include the acceleration of the rotors. "link": they were measured behind the gear,
            and the columns of the wheels are excluded.
        payload: name of the body that carries an unknown payload, or None.
        transition_speed: speed over which Coulomb friction changes sign [rad/s]; 0: at once.
        presliding: displacement over which Coulomb friction builds up after a reversal [rad, m]; 0: at once. Friction
            at rest is then that of the last motion.
        without: names of parameters known to be zero.
        only_payload: whether the model has the columns of the payload only.

    >>> from gearwright.mechanism import Body
    >>> arm = Mechanism([Body("arm", mass=1, com=(0.2, 0, 0))])
    >>> TorqueModel(arm).names[10:]
    ('arm.viscous', 'arm.coulomb', 'arm.offset')
    """

    mech: Annotated[Mechanism, RobotOrMech]
    friction: Sequence[FrictionKind] = FRICTION_KINDS
    side: Literal["motor", "link"] = "motor"
    payload: str | None = None
    transition_speed: float = 0.0
    without: Sequence[str] = ()
    only_payload: bool = False
    presliding: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "mech", machine_of("TorqueModel", self.mech))
        for kind in self.friction:
            if kind not in FRICTION_KINDS:
                raise InputError(f"model: friction {kind!r} is unknown. {did_you_mean(kind, FRICTION_KINDS)}")
        if self.side not in ("motor", "link"):
            raise InputError(f"model: side {self.side!r} must be 'motor' or 'link': where the torque was measured.")
        real_number("model", "transition_speed", self.transition_speed, least=0.0, unit="rad/s", example=0.01)
        real_number("model", "presliding", self.presliding, least=0.0, unit="rad", example=1e-4)
        if self.payload is not None:
            self.mech.body_index(self.payload)
        elif self.only_payload:
            raise InputError("model: only_payload needs the body with the payload. Give payload='<body>'.")
        for name in self.without:
            if name not in self.every_name:
                raise InputError(f"model: parameter {name!r} is unknown. {did_you_mean(name, self.every_name)}")

    @cached_property
    def every_column(self) -> tuple[ParameterColumn, ...]:
        """All columns, including unused ones: of the machine, of friction, of a payload."""
        load = payload_columns(self.mech, self._payload_title) if self.payload is not None else ()
        return (*machine_columns(self.mech), *friction_columns(self.mech, self.friction_lines), *load)

    @cached_property
    def friction_lines(self) -> tuple[FrictionLine, ...]:
        """The lines with friction columns: every speed, and the motors of coupled joints."""
        return friction_lines(self.mech, self.friction, self.side == "motor")

    @property
    def _payload_title(self) -> str:
        """Name of the payload, distinct from the names of the robot's bodies."""
        is_taken = any(body.name == PAYLOAD_TITLE for body in self.mech.bodies)
        return f"{PAYLOAD_TITLE} on {self.payload}" if is_taken else PAYLOAD_TITLE

    @cached_property
    def every_name(self) -> tuple[str, ...]:
        """The names of all columns."""
        return tuple(column.name for column in self.every_column)

    @cached_property
    def excluded_indices(self) -> frozenset[int]:
        """Indices of unused columns: known zeros, wheels for torques at the link side, the robot for `only_payload`."""
        wheels = {k for k, column in enumerate(self.every_column) if column.kind == "wheel" and self.side == "link"}
        zeros = {k for k, name in enumerate(self.every_name) if name in self.without}
        robot = range(len(self.every_column) - 10) if self.only_payload else range(0)
        return frozenset(wheels | zeros | set(robot))

    @cached_property
    def used_indices(self) -> tuple[int, ...]:
        """Indices of the columns in use."""
        return tuple(k for k in range(len(self.every_column)) if k not in self.excluded_indices)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the columns in use."""
        return tuple(self.every_name[k] for k in self.used_indices)

    @cached_property
    def columns(self) -> tuple[ParameterColumn, ...]:
        """The columns in use."""
        return tuple(self.every_column[k] for k in self.used_indices)

    @cached_property
    def nominal_values(self) -> Array:
        """Nominal values of the parameters in use; zero for friction and payload."""
        machine_values = parameters(self.mech)
        return np.concatenate([machine_values, np.zeros(len(self.every_name) - len(machine_values))])[
            list(self.used_indices)
        ]

    def regressor(self, q: Array, v: Array, a: Array, directions: Array | None = None) -> Array:
        """Y (T, n, columns in use).

        Args:
            q: coordinates (T, nq).
            v: speeds (T, n).
            a: accelerations (T, n).
            directions: of Coulomb friction per friction line (T, lines); by default the signs of the speeds.
        """
        machine_part = regressor(self.mech, q, v, a)
        parts = [machine_part, self._friction_columns(np.asarray(v, float), directions)]
        if self.payload is not None:
            first = 10 * self.mech.body_index(self.payload)
            parts.append(machine_part[..., first : first + 10])
        Y = np.concatenate(parts, axis=-1)
        return Y if len(self.used_indices) == Y.shape[-1] else Y[..., list(self.used_indices)]

    def sample_blocks(self, motion: Motion, base: BaseParameters | None = None) -> SampleBlocks:
        """The columns (T, n, rank) of base parameters along a motion, in blocks of samples."""
        chosen = self.base if base is None else base
        q, v, a = motion.q, motion.v, motion.a
        shape = (len(v), self.mech.n, chosen.rank)
        directions = self.friction_directions(motion)

        def block(part: slice) -> Array:
            return chosen.base_columns(self.regressor(q[part], v[part], a[part], directions[part]))

        return SampleBlocks(shape, block)

    def friction_directions(self, motion: Motion) -> Array:
        r"""The direction of Coulomb friction along a motion, per friction line (T, lines), between -1 and 1.

        With presliding it is the deflection of bristles relative to its maximum (Dahl), with the width b of presliding:
        $\dot z = (1 - z\,\mathrm{sign}(w))\, w / b$, from a relaxed start, z = 0.
        """
        speeds = self._line_speeds(motion.v)
        if not self.presliding:
            return self._signs(speeds)
        sizes = np.array([max(abs(x) for _, x in line.terms) for line in self.friction_lines])
        widths = self.presliding * sizes
        paths = 0.5 * (speeds[1:] + speeds[:-1]) * np.diff(motion.t)[:, None]
        z = np.zeros_like(speeds)
        for k, path in enumerate(paths):
            z[k + 1] = np.sign(path) + (z[k] - np.sign(path)) * np.exp(-np.abs(path) / widths)
        return z

    def _line_speeds(self, v: Array) -> Array:
        """The speeds along the friction lines (..., lines)."""
        return np.stack([sum(factor * v[..., k] for k, factor in line.terms) for line in self.friction_lines], axis=-1)

    def _signs(self, speeds: Array) -> Array:
        return np.tanh(speeds / self.transition_speed) if self.transition_speed else np.sign(speeds)

    def _friction_columns(self, v: Array, directions: Array | None) -> Array:
        """The friction columns (..., n, columns): each line acts on the speeds of its terms."""
        speeds = self._line_speeds(v)
        directions = self._signs(speeds) if directions is None else directions
        laws = {"viscous": speeds, "coulomb": directions, "offset": np.ones_like(speeds)}
        Y = np.zeros((*v.shape, sum(len(line.kinds) for line in self.friction_lines)))
        column = 0
        for i, line in enumerate(self.friction_lines):
            for kind in line.kinds:
                for k, factor in line.terms:
                    Y[..., k, column] = factor * laws[kind][..., i]
                column += 1
        return Y

    @cached_property
    def _random_regressor(self) -> Array:
        """The columns at random states."""
        Y = self.regressor(*random_states(self.mech, len(self.names)))
        return Y.reshape(-1, len(self.names))

    @cached_property
    def column_sizes(self) -> Array:
        """Root-mean-square size of every column over random states of unit scale, as a measure of excitation."""
        sizes: Array = np.sqrt(np.mean(self._random_regressor**2, axis=0))
        return sizes

    @cached_property
    def base(self) -> BaseParameters:
        """The identifiable combinations of the columns in use."""
        return independent_parameters(self._random_regressor, self.names)
