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
from gearwright.functions.dynamics import parameters, regressor
from gearwright.identification.model.columns import (
    FRICTION_KINDS,
    FrictionKind,
    ParameterColumn,
    friction_columns,
    machine_columns,
    payload_columns,
)
from gearwright.identification.model.sample_blocks import SampleBlocks
from gearwright.mechanism import Mechanism, RobotOrMech
from gearwright.motion import Motion
from gearwright.programs.closed_loops.closed_mechanism import machine_of
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
        mech: the machine; its numbers are the nominal (CAD) values.
        friction: friction columns of every speed.
        side: "motor": the torques include the acceleration of the rotors. "link": they were measured behind the gear,
            and the columns of the wheels are excluded.
        payload: name of the body that carries an unknown payload, or None.
        transition_speed: speed over which Coulomb friction changes sign [rad/s]; 0: at once.
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

    def __post_init__(self) -> None:
        object.__setattr__(self, "mech", machine_of("TorqueModel", self.mech))
        for kind in self.friction:
            if kind not in FRICTION_KINDS:
                raise InputError(f"model: friction {kind!r} is unknown. {did_you_mean(kind, FRICTION_KINDS)}")
        if self.side not in ("motor", "link"):
            raise InputError(f"model: side {self.side!r} must be 'motor' or 'link': where the torque was measured.")
        real_number("model", "transition_speed", self.transition_speed, least=0.0, unit="rad/s", example=0.01)
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
        return (*machine_columns(self.mech), *friction_columns(self.mech, self.friction), *load)

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

    def regressor(self, q: Array, v: Array, a: Array) -> Array:
        """Y (T, n, columns in use)."""
        machine_part = regressor(self.mech, q, v, a)
        parts = [machine_part, self._friction_columns(np.asarray(v, float))]
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
        return SampleBlocks(shape, lambda part: chosen.base_columns(self.regressor(q[part], v[part], a[part])))

    def _friction_columns(self, v: Array) -> Array:
        """The friction columns (..., n, n * kinds): block diagonal."""
        laws = {
            "viscous": v,
            "coulomb": np.tanh(v / self.transition_speed) if self.transition_speed else np.sign(v),
            "offset": np.ones_like(v),
        }
        n, kinds = v.shape[-1], len(self.friction)
        Y = np.zeros((*v.shape, n * kinds))
        for i in range(n):
            for k, kind in enumerate(self.friction):
                Y[..., i, i * kinds + k] = laws[kind][..., i]
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
