"""The redundant Cartesian models of a robot with elastic joints (Melhem and Loria, corrected), and their properties.

Properties P1 to P3 of their kinematics are ranks, norm bounds and Lipschitz constants over configurations, and a
constant left inverse of the Jacobian.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra import FLOATS
from gearwright.arguments import as_float_array
from gearwright.arrays import Array
from gearwright.dynamics.other_formulations import melhem_loria
from gearwright.dynamics.other_formulations.melhem_loria import constant_inverse_rows
from gearwright.dynamics.other_formulations.melhem_loria_blocks import (
    REDUNDANT_FORMS,
    BlockLayout,
    block_layout,
    require_chain,
    require_elastic,
    require_rigid,
)
from gearwright.errors import InputError
from gearwright.functions.special_kernels import ProgramKernels
from gearwright.mechanism import Mechanism, tree_of
from gearwright.programs import redundant_programs as programs
from gearwright.programs.batch import singular_result_error
from gearwright.programs.inputs import checked_array, refuse_symbols
from gearwright.programs.program import Program
from gearwright.text import listed_names

# Properties P1 to P3 and left inverses

LEFT_INVERSE_TOLERANCE = 1e-8
"""Largest deviation of L J from the identity, relative to 1, for a left inverse L."""


class ModelRanks(NamedTuple):
    """Smallest ranks over the configurations of M, J, and the parts J1 (links) and J3 (own spin of rotors).

    P1 (a) states that J1 and J3 have full column rank; J3 is None in forms without the rotors' own spin.
    """

    inertia: int
    jacobian: int
    links: int
    rotors: int | None


class NormBounds(NamedTuple):
    """The smallest and the largest norm over the configurations."""

    lower: float
    upper: float


def jacobian_parts(quantities: Sequence[str], joints: int, J: Array) -> tuple[Array, Array | None]:
    """Return J1 (links) and J3 (rotors' own spin; None in forms without it) of J, eq. (12) of Melhem and Loria.

    `quantities` names the quantity of every three rows, `joints` is the number of columns that belong to joints.
    """
    spin, carrier = (np.repeat([name == kind for name in quantities], 3) for kind in ("spin", "carrier"))
    motors = joints if J.shape[-1] > joints else 0
    return J[..., ~(spin | carrier), :joints], J[..., spin, motors:] if spin.any() else None


def inverse_slopes(J: Array, slopes: Array) -> Array:
    """Return the rate of the pseudoinverse of J per unit of each speed, (..., n, columns, rows).

    dJ+ = (J'J)^-1 dJ' (1 - J J+) - J+ dJ J+ for full column rank; `slopes` are dJ per unit of each speed.
    """
    J = J[..., None, :, :]
    left, Jt = np.linalg.pinv(J), np.swapaxes(J, -1, -2)
    outside = np.eye(J.shape[-2]) - J @ left
    result: Array = np.linalg.solve(Jt @ J, np.swapaxes(slopes, -1, -2)) @ outside - left @ slopes @ left  # Melhem (17)
    return result


def left_null_rows(J: Array) -> Array:
    """Orthonormal rows A with A J = 0, (..., size - n, size), for J (..., size, n) of full column rank."""
    U, _, _ = np.linalg.svd(J)
    rows: Array = np.swapaxes(U[..., :, J.shape[-1] :], -1, -2)
    return rows


def require_left_inverse(function: str, L: Array, J: Array) -> None:
    """Raise an error if L is not a left inverse of J."""
    size, n = J.shape[-2:]
    if L.shape[-2:] != (n, size):
        raise InputError(
            f"{function}: left_inverse has shape {L.shape}; its last axes must be {(n, size)}. Transpose or reshape it."
        )
    off = np.abs(L @ J - np.eye(n)).max(initial=0.0)
    if not off < 1e-6:
        raise InputError(
            f"{function}: left_inverse times J(q) differs from the identity by {off:.3g}, so it is not a left "
            "inverse here. Use left_inverse(q) or constant_left_inverse()."
        )


def smallest_rank(matrices: Array) -> int:
    """The smallest rank of a batch of matrices."""
    return int(np.min(np.linalg.matrix_rank(matrices)))


def norm_bounds(matrices: Array) -> NormBounds:
    """Bounds of the induced 2-norm of a batch of matrices."""
    norms = np.linalg.norm(matrices, 2, axis=(-2, -1))  # Melhem (15)
    return NormBounds(float(norms.min()), float(norms.max()))


def lipschitz_constant(slopes: Array) -> float:
    """A bound of ||sum_k x_k A_k|| over unit x and all configurations, A_k = slopes[..., k, :, :].

    The norm of a trilinear form is at most that of each of its three unfoldings; the smallest is taken.
    """
    *lead, n, size, columns = slopes.shape
    unfolded = [
        slopes.reshape(*lead, n, size * columns),
        np.swapaxes(slopes, -3, -2).reshape(*lead, size, n * columns),
        np.moveaxis(slopes, -1, -3).reshape(*lead, columns, n * size),
    ]
    norms = np.min([np.linalg.norm(matrix, 2, axis=(-2, -1)) for matrix in unfolded], axis=0)
    return float(np.max(norms))  # Melhem (16)


def constant_row(jacobians: Array, speed: int) -> Array | None:
    """Return the minimum-norm row l with l J(q) = e_speed at all given configurations, or None.

    The rows with l J(q) = 0 for every q are a linear space; every random configuration reduces the dimension of the
    remaining space unless it is this space already, so more configurations than rows of J are sufficient.
    """
    count, _, n = jacobians.shape
    wide = np.concatenate(list(jacobians), axis=1)
    wanted = np.tile(np.eye(n)[speed], count)
    row, *_ = np.linalg.lstsq(wide.T, wanted, rcond=1e-12)
    off = np.abs(row @ wide - wanted).max()
    constant: Array = row
    return constant if off < LEFT_INVERSE_TOLERANCE * max(1.0, float(np.abs(row).max())) else None


def matrix_vector(matrix: Array, vector: Array) -> Array:
    """Return matrix times vector for any leading axes."""
    result: Array = (matrix @ vector[..., None])[..., 0]
    return result


def require_configurations(function: str, sampled: Array) -> None:
    """Raise an error for an empty set of configurations."""
    if not sampled.size:
        raise InputError(f"RedundantModel.{function}: q has no configurations. Give at least one.")


# The models

_JOINT_CHECKS: dict[str, Callable[[str, Mechanism], None]] = {"elastic": require_elastic, "rigid": require_rigid}


class ProjectedModel(NamedTuple):
    """A redundant model in generalized speeds: H a + C v + g + springs = tau, with dH/dt - 2 C skew.

    H, C (..., n, n) and g (..., n); `omitted` (..., n) is the part J' n of C v that the paper omits.
    """

    H: Array
    C: Array
    g: Array
    omitted: Array


@dataclass(frozen=True)
class RedundantModel:
    r"""A chain of links and rotors as free bodies with kinematic constraints.

    $\nu = J(q) v, \quad M \dot\nu + n(\nu) + w(q) + (J^+)' f(q, v) = Q, \quad J' Q = \tau$

    with a constant inertia M, the quadratic terms n, the weights w, the spring forces f, any left inverse $J^+$ of J
    and the reactions Q. Melhem and Loria, eqs (13) and (32); their paper omits n, which is correct for planar arms
    and spherical tensors only. Per link v is the velocity [m/s] of its centre of mass in base axes and w its angular
    velocity [rad/s] in link axes; a rotor's axes turn with it, the third along its own axis.

    Args:
        mech: a chain, as a machine or a robot, with revolute, prismatic and fixed joints.
        form: the velocities of the model; their number is stated for n links and n rotors:

            - "full": 15 n, a rotor's angular velocity in two parts, its carrier's and its own spin; M has rank 12 n.
            - "absolute": 12 n, a rotor's angular velocity as one; M is definite. The same motion.
            - "reduced": 12 n, rotors with their own spin only, at rest in their links: "spong" of `approximate`.
              "reduced_bare", as printed, also neglects the rotors' mass in the links ("spong_bare").
            - "link_frames": "full" with the linear velocities in link axes: a constant left inverse for every chain.
            - "points": 36 n, six equimomental points per body, base axes: n is zero and C = J' M dJ/dt exact.
        joints: "elastic", with a spring between every joint and its motor, or "rigid", without shafts.

    >>> import gearwright as gw
    >>> from gearwright.parts import Drive, Gear, Link, Motor, Robot
    >>> link = Link("table", mass=10, inertia=np.diag([0.5, 0.5, 1.0]))
    >>> drive = Drive("table", Motor(inertia=1e-4, mass=0.5), Gear(ratio=100, stiffness=5000))
    >>> model = RedundantModel(gw.assemble(Robot("turntable", [link], [drive])))
    >>> model.size, model.ranks(np.zeros((1, 2))).inertia
    (15, 12)
    >>> model.project([0.3, 0.3], [1.0, 1.0]).H
    array([[1., 0.],
           [0., 1.]])
    """

    mech: Mechanism
    form: str = "full"
    joints: Literal["elastic", "rigid"] = "elastic"
    _layout: BlockLayout = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mech", tree_of("RedundantModel", self.mech))
        for word, value, allowed in (("form", self.form, REDUNDANT_FORMS), ("joints", self.joints, _JOINT_CHECKS)):
            if not isinstance(value, str) or value not in allowed:
                raise InputError(f"RedundantModel: {word}={value!r} is unknown. Use one of {', '.join(allowed)}.")
        require_chain("RedundantModel", self.mech)
        _JOINT_CHECKS[self.joints]("RedundantModel", self.mech)
        refuse_symbols("RedundantModel", self.mech)
        object.__setattr__(self, "_layout", block_layout(self.mech, self.form, FLOATS))

    @property
    def size(self) -> int:
        """The number of redundant velocities."""
        return self._layout.size

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the redundant velocities, such as 'upper.vx' or 'elbow.rotor.spin.wz'."""
        return tuple(block.name + axis for block in self._layout.blocks for axis in "xyz")

    @cached_property
    def inertia(self) -> Array:
        """The constant inertia matrix M, (size, size), read-only."""
        M = np.array(melhem_loria.redundant_inertia(self._layout), dtype=np.float64)
        M.setflags(write=False)  # Melhem (14): T = 1/2 nu' M nu
        return M

    def jacobian(self, q: ArrayLike) -> Array:
        """J(q) of nu = J v, (..., size, n)."""
        return self._run_program(programs.REDUNDANT_JACOBIAN, q=q)  # Melhem (12)-(13)

    def jacobian_rate(self, q: ArrayLike, v: ArrayLike) -> Array:
        """dJ/dt, (..., size, n), so that d(nu)/dt = J a + dJ/dt v; linear in v."""
        return self._run_program(programs.REDUNDANT_JACOBIAN_RATE, q=q, v=v)

    def velocities(self, q: ArrayLike, v: ArrayLike) -> Array:
        """The redundant velocities nu = J(q) v, (..., size)."""
        return matrix_vector(self.jacobian(q), self._checked_speeds("velocities", v))  # Melhem (13)

    def constraints(self, q: ArrayLike) -> Array:
        """The kinematic constraints A(q) nu = 0, (..., size - n, size): 13 n of 15 n; rows of length 1, A J = 0."""
        return left_null_rows(self.jacobian(q))  # Melhem (13)

    def quadratic(self, nu: ArrayLike) -> Array:
        """n(nu), (..., size): per body w x I w, and m w x v where linear velocities are in link axes."""
        return self._run_program(programs.REDUNDANT_QUADRATIC, nu=nu)

    def quadratic_matrix(self, nu: ArrayLike) -> Array:
        """The skew G(nu), (..., size, size), with G nu = n(nu)."""
        return self._run_program(programs.REDUNDANT_QUADRATIC_MATRIX, nu=nu)

    def weights(self, q: ArrayLike) -> Array:
        """w, (..., size): forces that balance gravity; constant except in "link_frames"."""
        return self._run_program(programs.REDUNDANT_WEIGHTS, q=q)  # Melhem (29)-(30)

    def elastic_forces(self, q: ArrayLike, v: ArrayLike | None = None, left_inverse: ArrayLike | None = None) -> Array:
        """The springs in redundant coordinates, (J+)' (K_e q + D_e v), (..., size); for any left inverse.

        Without `v` the dampers are neglected; without `left_inverse` the constant one is used, or the pseudoinverse.
        """
        speeds = np.zeros(self.mech.n) if v is None else v
        forces = self._run_program(programs.REDUNDANT_SPRING_FORCES, q=q, v=speeds)
        return matrix_vector(
            np.swapaxes(self._chosen_inverse("elastic_forces", q, left_inverse), -1, -2), forces
        )  # Melhem (31)

    def left_inverse(self, q: ArrayLike) -> Array:
        """The pseudoinverse of J(q), the left inverse with the smallest norm, (..., n, size)."""
        return np.asarray(np.linalg.pinv(self.jacobian(q)), dtype=np.float64)

    def constant_left_inverse(self) -> Array:
        """A constant L with L J(q) = 1 at every q, (n, size).

        It exists for chains of only revolute or only prismatic joints, and with "link_frames" for every chain; for
        others it is computed from random configurations.

        Raises:
            InputError: no constant left inverse exists.
        """
        rows, missing = self._constant_inverse
        if missing:
            names = listed_names(self.mech.speeds[k] for k in missing)
            raise InputError(
                f"constant_left_inverse: no constant row gives the speed of {names} from the {self.form!r} velocities "
                "at every configuration. Use RedundantModel(mech, 'link_frames'), where one exists for every chain, or "
                "left_inverse(q)."
            )
        return rows.copy()

    @cached_property
    def _constant_inverse(self) -> tuple[Array, list[int]]:
        """Return the existing rows of a constant left inverse, and the speeds of the missing ones."""
        rows: list[Any] = list(constant_inverse_rows(self._layout, self.mech))
        open_rows = [k for k, row in enumerate(rows) if row is None]
        jacobians = self.jacobian(self.configurations(self.size + 5 if open_rows else 1))
        for k in open_rows:
            rows[k] = constant_row(jacobians, k)
        missing = [k for k in open_rows if rows[k] is None]
        return np.array([np.zeros(self.size) if row is None else row for row in rows]), missing

    def project(self, q: ArrayLike, v: ArrayLike) -> ProjectedModel:
        """H = J' M J, C = J' (M dJ/dt + G J), g = J' w: the generalized model without its springs."""
        J, rate = self.jacobian(q), self.jacobian_rate(q, v)
        nu = matrix_vector(J, self._checked_speeds("project", v))
        Jt = np.swapaxes(J, -1, -2)
        C = Jt @ (self.inertia @ rate + self.quadratic_matrix(nu) @ J)
        return ProjectedModel(
            Jt @ self.inertia @ J, C, matrix_vector(Jt, self.weights(q)), matrix_vector(Jt, self.quadratic(nu))
        )

    def reactions(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, left_inverse: ArrayLike | None = None) -> Array:
        """Q, (..., size): forces of joints, bearings and motors on the free bodies for a motion; J' Q = tau."""
        speeds = self._checked_speeds("reactions", v)
        accelerations = checked_array("RedundantModel.reactions", self.mech, "a", a, self.mech.n)
        J = self.jacobian(q)
        rate = matrix_vector(J, accelerations) + matrix_vector(self.jacobian_rate(q, v), speeds)
        # Melhem (27)-(28), (32), corrected by n
        return rate @ self.inertia + self._velocity_forces(q, speeds, matrix_vector(J, speeds), left_inverse)

    def rates(
        self, q: ArrayLike, nu: ArrayLike, tau: ArrayLike, left_inverse: ArrayLike | None = None
    ) -> tuple[Array, Array]:
        """(dq/dt, d(nu)/dt), (..., n) and (..., size), of the state (q, nu) under the generalized forces tau.

        dq/dt = J+ nu; the reactions are eliminated by J' Q = tau. Its solution is that of the generalized model.
        """
        nu = checked_array("RedundantModel.rates", self.mech, "nu", nu, self.size, self.names)
        forces = checked_array("RedundantModel.rates", self.mech, "tau", tau, self.mech.n)
        v = matrix_vector(self._chosen_inverse("rates", q, left_inverse), nu)
        J = self.jacobian(q)
        centripetal = matrix_vector(self.jacobian_rate(q, v), v)
        Jt = np.swapaxes(J, -1, -2)
        free = forces - matrix_vector(Jt, centripetal @ self.inertia + self._velocity_forces(q, v, nu, left_inverse))
        try:
            a = np.linalg.solve(Jt @ self.inertia @ J, free[..., None])[..., 0]
        except np.linalg.LinAlgError:
            raise singular_result_error("RedundantModel.rates") from None
        return v, matrix_vector(J, a.astype(np.float64)) + centripetal

    def _velocity_forces(self, q: ArrayLike, v: Array, nu: Array, left_inverse: ArrayLike | None) -> Array:
        """Return the terms without acceleration, n(nu) + w + springs."""
        return self.quadratic(nu) + self.weights(q) + self.elastic_forces(q, v, left_inverse)

    def configurations(self, count: int, seed: int = 0, slide: float = 1.0) -> Array:
        """Random configurations (count, n): all angles of joints and shafts, prismatic joints within +-slide [m]."""
        reach = np.full(self.mech.n, np.pi)
        for joint in self.mech.joints:
            reach[[dof.speed for dof in joint.dofs if not dof.angular]] = slide
        try:
            return np.random.default_rng(seed).uniform(-reach, reach, (count, self.mech.n))
        except (TypeError, ValueError, OverflowError) as error:
            raise InputError(f"RedundantModel.configurations: {error}. Give a count, a seed and a length.") from None

    def ranks(self, q: ArrayLike) -> ModelRanks:
        """P1 (a): ranks of M and, the smallest over the configurations q, of J, J1 and J3."""
        links, rotors = self._jacobian_parts(J := self._sampled_jacobian("ranks", q))
        inertia, whole, first = (smallest_rank(x) for x in (self.inertia, J, links))
        return ModelRanks(inertia, whole, first, None if rotors is None else smallest_rank(rotors))

    def norm_bounds(self, q: ArrayLike) -> NormBounds:
        """P1 (b): bounds of the norm of J over the configurations q; for mixed chains none hold for all q."""
        return norm_bounds(self._sampled_jacobian("norm_bounds", q))

    def inverse_norm_bounds(self, q: ArrayLike, part: Literal["J", "J1", "J3"] = "J") -> NormBounds:
        """P2: bounds of the norm of the pseudoinverse of J, or of its part J1 (links) or J3 (rotors), over q."""
        J = self._sampled_jacobian("inverse_norm_bounds", q)
        matrices = dict(zip(("J", "J1", "J3"), (J, *self._jacobian_parts(J)), strict=True))
        if (matrix := matrices.get(part)) is None:
            raise InputError(f"RedundantModel.inverse_norm_bounds: form {self.form!r} has no part {part!r}. Use 'J'.")
        return norm_bounds(np.asarray(np.linalg.pinv(matrix), dtype=np.float64))

    def inverse_lipschitz_constant(self, q: ArrayLike) -> float:
        """Eq. (17): l' with ||dJ+/dt(q, x) - dJ+/dt(q, y)|| <= l' ||x - y||, J+ the pseudoinverse of J, over q."""
        J = self._sampled_jacobian("inverse_lipschitz_constant", q)
        slopes = self.jacobian_rate(np.asarray(q, dtype=np.float64)[..., None, :], np.eye(self.mech.n))
        return lipschitz_constant(inverse_slopes(J, slopes))

    def lipschitz_constant(self, q: ArrayLike) -> float:
        """P3: l with ||dJ/dt(q, x) - dJ/dt(q, y)|| <= l ||x - y|| for all x, y at the configurations q."""
        configurations = checked_array("RedundantModel.lipschitz_constant", self.mech, "q", q, self.mech.nq)
        require_configurations("lipschitz_constant", configurations)
        return lipschitz_constant(self.jacobian_rate(configurations[..., None, :], np.eye(self.mech.n)))

    def _jacobian_parts(self, J: Array) -> tuple[Array, Array | None]:
        return jacobian_parts([x.quantity for x in self._layout.blocks], self.mech.n - len(self.mech.shafts), J)

    def _sampled_jacobian(self, function: str, q: ArrayLike) -> Array:
        J = self.jacobian(q)
        require_configurations(function, J)
        return J

    def _chosen_inverse(self, function: str, q: ArrayLike, stated_inverse: ArrayLike | None) -> Array:
        if stated_inverse is None:
            rows, missing = self._constant_inverse
            return self.left_inverse(q) if missing else rows
        L = as_float_array(f"RedundantModel.{function}", "left_inverse", stated_inverse)
        require_left_inverse(f"RedundantModel.{function}", L, self.jacobian(q))
        return L

    def _checked_speeds(self, function: str, v: ArrayLike) -> Array:
        return checked_array(f"RedundantModel.{function}", self.mech, "v", v, self.mech.n)

    def _run_program(self, program: Program, **arguments: ArrayLike) -> Array:
        sizes = {"nu": self.size, "q": self.mech.nq}
        arrays = {
            x: checked_array(
                program.name, self.mech, x, value, sizes.get(x, self.mech.n), self.names if x == "nu" else None
            )
            for x, value in arguments.items()
        }
        return self._kernels.run_program(program, arrays)

    @cached_property
    def _kernels(self) -> ProgramKernels:
        return ProgramKernels(self.mech, {programs.LAYOUT: self._layout})

    def __reduce__(self) -> tuple[Any, ...]:
        return RedundantModel, (self.mech, self.form, self.joints)
