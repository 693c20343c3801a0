r"""Linear actuators of any order along a line of the machine (motors, servo cylinders), and their inverses.

An actuator is $\dot x = C x + f M + d u + e$; the inverse gives its states and input from the motion along its line and
the required force.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from gearwright.algebra import Scalar
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number, require_range
from gearwright.arrays import Array
from gearwright.errors import DriveError
from gearwright.forces.law import Action, Force, Hold, Law, Outcome, Quantity, Reaction, Situation
from gearwright.forces.line import Line
from gearwright.mechanism import Terms, as_number, nonzero_terms, row_dot
from gearwright.text import listed_names

# The inverse


class ActuatorMotion(NamedTuple):
    """The motion and force that an actuator must provide over a smooth segment.

    Args:
        t: times (T,) [s].
        motion: position along the line and its derivatives, each (T,); may depend on parameters.
        force: force on the machine along the line and its derivatives, each (T,); may depend on parameters.
    """

    t: Array
    motion: Sequence[Scalar]
    force: Sequence[Scalar]


class ActuatorInputs(NamedTuple):
    """An actuator's own states (T, states), inputs (T, inputs), and further series by name, each (T,)."""

    states: Scalar
    inputs: Scalar
    other_signals: Mapping[str, Scalar] = MappingProxyType({})


@dataclass(frozen=True)
class LinearInverse:
    r"""The inverse of $\dot x = C x + f M + d u + e$ by its relative degree r, the first with $T C^{r-1} d \ne 0$.

    The output row gives $T x$ from the speed; differentiating it along the equations gives $T C x$, $T C^2 x$, ... from
    the acceleration, the force and their derivatives, until the input appears. The part of x that these rows do not
    determine is the internal dynamics, which is integrated.
    """

    actuator: LinearActuator

    def __post_init__(self) -> None:
        if len(self.actuator.controls) != 1:
            raise DriveError(
                f"actuator {self.actuator.name!r} has {len(self.actuator.controls)} inputs, so the inputs for a force "
                "are not unique. Combine them to one input, or use a law that allocates the force to them."
            )
        if self.output_rows.shape[0] > len(self.state_matrix):
            raise DriveError(
                f"actuator {self.actuator.name!r}: its input {self.actuator.controls[0].name!r} does not affect its "
                "output (it has no relative degree). Check d and C."
            )
        fastest_rate = np.abs(np.linalg.eigvals(self.state_matrix)).max()
        if self.inner_directions.size and np.linalg.eigvals(self._inner_rate).real.max() > 1e-6 * fastest_rate:
            raise DriveError(
                f"actuator {self.actuator.name!r}: its zero dynamics is unstable (it is not minimum-phase), so no "
                "bounded input follows a motion. Prescribe another output."
            )

    @cached_property
    def state_matrix(self) -> Array:
        """The state matrix C, (states, states)."""
        return np.array(self.actuator.C)

    @cached_property
    def input_column(self) -> Array:
        """The input column d, (states,)."""
        return np.array(self.actuator.d)[:, 0]

    @cached_property
    def output_rows(self) -> Array:
        """T, T C, ..., T C^(r-1), (r, states); states + 1 rows if the input never appears."""
        chain, sizes = [np.array(self.actuator.tie)], [np.abs(self.actuator.tie)]
        for _ in range(len(self.state_matrix)):
            if abs(chain[-1] @ self.input_column) > 1e-10 * (sizes[-1] @ np.abs(self.input_column)):
                break
            chain.append(chain[-1] @ self.state_matrix)
            sizes.append(sizes[-1] @ np.abs(self.state_matrix))
        return np.array(chain)

    @property
    def relative_degree(self) -> int:
        """The relative degree r: r - 1 derivatives of the force and r + 1 of the motion are needed."""
        return len(self.output_rows)

    @cached_property
    def _known_rows(self) -> tuple[Array, Array]:
        """The known rows of x, and a scale per state that makes them comparable in size."""
        position_rows = np.eye(len(self.state_matrix))[list(self.actuator.position_states)]
        rows = np.concatenate([self.output_rows, position_rows])
        rows = rows / np.abs(rows).max(axis=1, keepdims=True)
        largest = np.abs(rows).max(axis=0)
        return rows, 1 / np.where(largest > 0, largest, 1.0)

    @cached_property
    def inner_directions(self) -> Array:
        """Null space of the known rows in scaled states, as columns: the internal dynamics."""
        rows, scale = self._known_rows
        _, sizes, directions = np.linalg.svd(rows * scale)
        rank = int((sizes > 1e-10 * sizes.max()).sum())
        return directions[rank:].T

    @cached_property
    def _closed_loop_matrix(self) -> Array:
        """C with the input that produces the prescribed output."""
        last_row = self.output_rows[-1]
        matrix: Array = self.state_matrix - np.outer(self.input_column, last_row @ self.state_matrix) / (
            last_row @ self.input_column
        )
        return matrix

    @cached_property
    def _inner_rate(self) -> Array:
        _, scale = self._known_rows
        rate: Array = (
            self.inner_directions.T @ (self._closed_loop_matrix / scale[:, None] * scale) @ self.inner_directions
        )
        return rate

    def solve(self, demand: ActuatorMotion, state: Array | None = None) -> tuple[ActuatorInputs, Array]:
        """States and input over a segment, and the internal state at its end; `state` is the one at its start."""
        actuator = self.actuator
        output = [f - actuator.carried * w for f, w in zip(demand.force, demand.motion[2:], strict=False)]
        values, required_rate = self._output_chain(demand, output)
        known_states = self._known_states(values, demand.motion[0])
        forcing = (
            np.outer(output[0], actuator.f)
            + np.outer(required_rate / (self.output_rows[-1] @ self.input_column), self.input_column)
            + actuator.offset
        )
        x, end_state = self._with_inner(demand.t, known_states, forcing, state)
        u = (required_rate - x @ (self.output_rows[-1] @ self.state_matrix)) / (
            self.output_rows[-1] @ self.input_column
        )
        return ActuatorInputs(x[:, list(actuator.own_states)], u[:, None]), end_state

    def _output_chain(self, demand: ActuatorMotion, output: Sequence[Array]) -> tuple[list[Array], Array]:
        """T C^j x for j < r, and the required value of T C^(r-1) (C x + d u)."""
        e, f = np.array(self.actuator.offset), np.array(self.actuator.f)
        derivatives = list(demand.motion[1 : self.relative_degree + 2])  # T x and its derivatives
        values = []
        for row in self.output_rows:
            values.append(derivatives[0])
            load_terms = [row @ f * m for m in output[: len(derivatives) - 1]]
            derivatives = [y - z for y, z in zip(derivatives[1:], load_terms, strict=True)]
            derivatives[0] = derivatives[0] - row @ e
        return values, derivatives[0]

    def _known_states(self, values: Sequence[Array], position: Array) -> Array:
        """The part of x that the known rows determine, (T, states)."""
        factors = self.actuator.position_states.values()
        right_side = np.array([*values, *(factor * position for factor in factors)])
        rows, scale = self._known_rows
        whole = np.concatenate([self.output_rows, np.eye(len(self.state_matrix))[list(self.actuator.position_states)]])
        sizes = np.abs(whole).max(axis=1, keepdims=True)
        states: Array = (scale[:, None] * (np.linalg.pinv(rows * scale) @ (right_side / sizes))).T
        return states

    def _with_inner(
        self, t: Array, known_states: Array, input_forcing: Array, start: Array | None
    ) -> tuple[Array, Array]:
        """The full x with the internal dynamics integrated, and the internal state at the end."""
        if not self.inner_directions.size:
            return known_states, np.zeros(0)
        _, scale = self._known_rows
        if start is None:
            start = self.inner_directions.T @ (np.array([x.initial for x in self.actuator.variables]) / scale)
        forcing = ((known_states @ self._closed_loop_matrix.T + input_forcing) / scale) @ self.inner_directions
        inner_motion = _integrate_linear(self._inner_rate, t, forcing, start)
        return known_states + inner_motion @ self.inner_directions.T * scale, inner_motion[-1]


def _integrate_linear(rate: Array, t: Array, forcing: Array, start: Array) -> Array:
    """Solution of z' = rate z + forcing(t) with a spline through the forcing, (T, z)."""
    from scipy.integrate import solve_ivp
    from scipy.interpolate import make_interp_spline

    curve = make_interp_spline(t, forcing, k=min(5, len(t) - 1))
    size = max(np.abs(forcing).max(), np.abs(start).max(), 1e-12)
    solution = solve_ivp(
        lambda time, z: rate @ z + curve(time), (t[0], t[-1]), start, "LSODA", t, rtol=1e-10, atol=1e-12 * size
    )
    states: Array = solution.y.T
    return states


# The actuator

Numbers = tuple[float, ...]


@check_arguments
@dataclass(frozen=True)
class LinearActuator(Law):
    r"""An actuator $\dot x = C x + f M + d u + e$ whose output moves a line of the machine, $T \dot x = b \cdot a$.

    M is its force on the machine along the line b [Nm, N] (Vukobratovic and Potkonjak, eq. 20.74); the output row T is
    arbitrary. States that the machine already has are not integrated a second time: the output row gives one of them
    from the speed along the line, and a state that integrates the speed (its row of C is a multiple of T) is the
    position along it.

    The equations contain an inertia $I = -1/(T f)$ along the line: $M = I\, T(C x + d u + e) - I\, b \cdot a$. The part
    of it that is in the machine's mass matrix (a rotor that is a spin there, with its reaction on the link that carries
    it) is `carried`. It is compensated, so no inertia counts twice: the force on the machine is $M$ plus `carried`
    times b . a. If all of it is carried, the actuator is a pure force; if T f = 0, it is an ideal velocity source.

    Args:
        name: name of the law.
        line: the line b that its output moves.
        C: the state matrix, (k, k).
        f: coefficients of the output force, (k,).
        d: the input matrix, (k, inputs), or (k,) for one input.
        tie: the output row T, (k,).
        variables: name, unit and initial value of each state.
        controls: name and unit of each input.
        offset: e, (k,); the constant term of a linearisation about an operating point. Default: zero.
        carried: inertia along the line that the machine already has [kg m2, kg].
        limits: saturation of each input (largest magnitude), None for no limit.
        port: name of the drive through whose gear losses the force acts.

    >>> import gearwright as gw
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> from gearwright.forces.actuators.dc_motor import DcMotorData, dc_motor
    >>> motor = dc_motor(arm, "j2", DcMotorData(torque_constant=0.05, resistance=0.5, inductance=1e-3))
    >>> [state.name for state in motor.variables], [state.name for state in motor.states]
    (['j2.motor_angle', 'j2.motor_speed', 'j2.current'], ['j2.current'])
    """

    name: str
    line: Line
    C: Sequence[Sequence[Scalar]]
    f: Sequence[Scalar]
    d: Sequence[Any]
    tie: Sequence[Scalar]
    variables: tuple[Quantity, ...]
    controls: tuple[Quantity, ...]
    offset: Sequence[Scalar] = ()
    carried: float = 0.0
    limits: tuple[float | None, ...] = ()
    port: str | None = None

    def __post_init__(self) -> None:
        order, count = len(self.variables), len(self.controls)
        d = [row if hasattr(row, "__len__") else [row] for row in self.d]  # a number is a row of one input
        values = {
            "C": self._checked_matrix("C", self.C, order, order),
            "f": self._checked_numbers("f", self.f, order),
            "d": self._checked_matrix("d", d, order, count),
            "tie": self._checked_numbers("tie", self.tie, order),
            "offset": self._checked_numbers("offset", self.offset if len(self.offset) else [0.0] * order, order),
            "limits": self.limits or (None,) * count,
        }
        for field, value in values.items():
            object.__setattr__(self, field, value)
        self._check_values()

    def _checked_numbers(self, field: str, values: Sequence[Any], size: int) -> Numbers:
        numbers = tuple(as_number(f"actuator {self.name!r}, {field}", x) for x in values)
        if len(numbers) != size:
            names = listed_names(x.name for x in self.variables)
            raise DriveError(
                f"actuator {self.name!r}: {field} has {len(numbers)} numbers, but {size} are required. Its states are "
                f"{names}, its inputs {listed_names(x.name for x in self.controls) or 'none'}."
            )
        return numbers

    def _checked_matrix(self, field: str, rows: Sequence[Any], count: int, size: int) -> tuple[Numbers, ...]:
        if len(rows) != count:
            raise DriveError(
                f"actuator {self.name!r}: {field} has {len(rows)} rows. Give one for each of its {count} states."
            )
        return tuple(self._checked_numbers(field, row, size) for row in rows)

    def _check_values(self) -> None:
        if not any(self.tie):
            raise DriveError(
                f"actuator {self.name!r}: its output row `tie` is zero, so it moves nothing. Select the state that is "
                "the speed along the line."
            )
        if len(self.limits) != len(self.controls):
            raise DriveError(
                f"actuator {self.name!r}: limits {self.limits} do not match its {len(self.controls)} inputs. Give one "
                "positive number (or None) per input."
            )
        for limit in (x for x in self.limits if x is not None):
            real_number(f"actuator {self.name!r}", "limit", limit, above=0.0, infinite=True, error=DriveError)
        if self.force_mobility > 0:
            raise DriveError(
                f"actuator {self.name!r}: T f = {self.force_mobility:g} is positive: a load would accelerate the "
                "output. f is the coefficient of the output force; for a DC motor it is -1/J."
            )
        require_range(f"actuator {self.name!r}", "carried", self.carried)
        if self.remaining_inertia < 0 or (self.is_velocity_source and self.carried):
            raise DriveError(
                f"actuator {self.name!r}: carried={self.carried:g} is more than the inertia {self.inertia:g} of its "
                "equations. Give the same number for both."
            )

    @cached_property
    def force_mobility(self) -> float:
        """T f: the change of acceleration along the line per unit of output force [1/(kg m2), 1/kg]."""
        return sum(x * y for x, y in zip(self.tie, self.f, strict=True))

    @property
    def is_velocity_source(self) -> bool:
        """Whether it is an ideal velocity source, T f = 0."""
        return self.force_mobility == 0

    @cached_property
    def inertia(self) -> float:
        """The inertia of its equations along the line, -1/(T f) [kg m2, kg]."""
        return float("inf") if self.is_velocity_source else -1 / self.force_mobility

    @cached_property
    def remaining_inertia(self) -> float:
        """The part of its inertia that the machine does not have [kg m2, kg]; zero if it is within rounding."""
        remainder = self.inertia - self.carried
        return 0.0 if abs(remainder) <= 1e-9 * abs(self.carried) else remainder

    @cached_property
    def speed_state(self) -> int:
        """Index of the state that the output row gives from the speed along the line."""
        return max(range(len(self.tie)), key=lambda k: abs(self.tie[k]))

    @cached_property
    def position_states(self) -> dict[int, float]:
        """Position states along the line, index to factor: those with x_k' = factor (T x) only."""
        factors = {}
        for k, row in enumerate(self.C):
            factor = row[self.speed_state] / self.tie[self.speed_state]
            is_pure_position = not (self.f[k] or any(self.d[k]) or self.offset[k] or k == self.speed_state)
            if factor and is_pure_position and all(x == factor * y for x, y in zip(row, self.tie, strict=True)):
                factors[k] = factor
        return factors

    @cached_property
    def own_states(self) -> tuple[int, ...]:
        """Indices of the states that only the actuator has."""
        return tuple(k for k in range(len(self.variables)) if k != self.speed_state and k not in self.position_states)

    @cached_property
    def matrix_terms(self) -> tuple[Terms, ...]:
        """The non-zero entries of the rows of C."""
        return tuple(nonzero_terms(row) for row in self.C)

    @property
    def states(self) -> tuple[Quantity, ...]:
        """The states that it integrates: its own."""
        return tuple(self.variables[k] for k in self.own_states)

    @property
    def inputs(self) -> tuple[Quantity, ...]:
        """Its controls u."""
        return self.controls

    @property
    def saturations(self) -> Mapping[str, float]:
        """The limits of its inputs."""
        named = zip(self.controls, self.limits, strict=True)
        return {control.name: limit for control, limit in named if limit is not None}

    @property
    def signals(self) -> tuple[Quantity, ...]:
        """The force on the machine along its line."""
        return (Quantity(f"{self.name}.force", "Nm, N"),)

    @cached_property
    def inverse(self) -> LinearInverse:
        """The inverse model: its input from the motion along its line and the required force."""
        return LinearInverse(self)

    def full_state(self, position: Scalar, speed: Scalar, values: Sequence[Scalar]) -> list[Scalar]:
        """The full state x from the motion along the line and its own states."""
        x: list[Scalar] = [0.0] * len(self.variables)
        for k, value in zip(self.own_states, values, strict=True):
            x[k] = value
        for k, factor in self.position_states.items():
            x[k] = factor * position
        other_states = row_dot(tuple((k, t) for k, t in enumerate(self.tie) if t and k != self.speed_state), x)
        x[self.speed_state] = (speed - other_states) / self.tie[self.speed_state]
        return x

    def _unforced_rates(self, situation: Situation) -> list[Scalar]:
        """C x + d u + e with saturated inputs."""
        position = situation.position(self.line) if self.position_states else 0.0
        x = self.full_state(position, situation.speed(self.line), situation.states)
        ops = situation.ops
        u = [
            value if limit is None else ops.maximum(-limit, ops.minimum(limit, value))
            for value, limit in zip(situation.inputs, self.limits, strict=True)
        ]
        return [
            row_dot(row, x) + row_dot(nonzero_terms(d), u) + e
            for row, d, e in zip(self.matrix_terms, self.d, self.offset, strict=True)
        ]

    def _line_acceleration(self, unforced: Sequence[Scalar]) -> Scalar:
        return row_dot(nonzero_terms(self.tie), unforced)

    def act(self, mode: str, situation: Situation) -> Action:
        """A force if the machine carries its inertia, otherwise a constraint with the compliance of its inertia."""
        acceleration = self._line_acceleration(self._unforced_rates(situation))
        if self.is_velocity_source:
            return Action(holds=(Hold(self.line, acceleration, port=self.port),))
        if not self.remaining_inertia:
            return Action(forces=(Force(self.line, self.inertia * acceleration, self.port),))  # Vukobratovic (20.74)
        share = self.inertia / self.remaining_inertia
        return Action(holds=(Hold(self.line, share * acceleration, 1 / self.remaining_inertia, port=self.port),))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """Rates of its own states; the power along its line counts as supplied."""
        unforced = self._unforced_rates(situation)
        force = (
            reaction.multipliers[0]
            if self.is_velocity_source or self.remaining_inertia
            else self.inertia * self._line_acceleration(unforced)
        )
        output = force - self.carried * situation.acceleration(self.line, reaction.a)
        return Outcome(
            rates=tuple(unforced[k] + self.f[k] * output for k in self.own_states),
            supplied=force * situation.speed(self.line),
            signals={f"{self.name}.force": force},
        )
