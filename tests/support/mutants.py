"""Ways to break the code: one term dropped or one sign changed in one function, undone after the test."""

from __future__ import annotations
import __future__

import inspect
import pkgutil
import textwrap
from dataclasses import dataclass

import pytest


@dataclass(frozen=True)
class Mutant:
    """A function, "package.file:name", and the piece of its source that is changed."""

    function: str
    old: str
    new: str

    def unleash(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Give the function the code of its broken source, wherever it has been imported to."""
        function = pkgutil.resolve_name(f"gearwright.{self.function}")
        source = textwrap.dedent(inspect.getsource(function))
        assert source.count(self.old) == 1, f"{self.function} no longer contains {self.old!r} once: update the mutant"
        broken: dict[str, object] = dict(function.__globals__)
        text = source.replace(self.old, self.new)
        exec(compile(text, "<mutant>", "exec", __future__.annotations.compiler_flag), broken)
        monkeypatch.setattr(function, "__code__", broken[function.__name__].__code__)


UNTURNED = "\n    moment = moment - moving.omega.cross(body.about_origin.tensor @ moving.omega)"

MUTANTS = {
    "inverse: gyroscopic term of a body": Mutant(
        "dynamics.inverse_dynamics:required_wrench", "moving.linear)", "moving.linear)" + UNTURNED
    ),
    "inverse: gyroscopic term of a wheel": Mutant(
        "dynamics.inverse_dynamics:required_wrench", " + moving.omega.cross(e * rate)", ""
    ),
    "inverse: coupling, wheel to carrier": Mutant(
        "dynamics.inverse_dynamics:required_wrench", "e = spin.axis * spin.coupling_inertia", "e = spin.axis * 0.0"
    ),
    "inverse: coupling, carrier to wheel": Mutant(
        "dynamics.inverse_dynamics:_turn_wheels", " + spin.coupling_inertia * alpha.dot(spin.axis)", ""
    ),
    "inverse: sign of the coupling": Mutant(
        "dynamics.inverse_dynamics:_turn_wheels", "+ spin.coupling_inertia", "- spin.coupling_inertia"
    ),
    "inverse: sign of a lever": Mutant("dynamics.inverse_dynamics:accumulate_wrenches", "+ pose.shift", "- pose.shift"),
    "inverse: sign of a wrench": Mutant("dynamics.inverse_dynamics:required_wrench", "force - back", "force + back"),
    "gravity: sign of a moment": Mutant(
        "dynamics.inverse_dynamics:gravity", "body.about_origin.moment.cross(a)", "a.cross(body.about_origin.moment)"
    ),
    "inverse: sign in a moment": Mutant(
        "algebra.mass_moments:MassMoments.field_wrench", "- P.xz * U.b.x", "+ P.xz * U.b.x"
    ),
    "motion: Coriolis acceleration": Mutant("dynamics.kinematics:body_accelerations", "(w * 2).cross", "w.cross"),
    "motion: sign of the centripetal acceleration": Mutant(
        "dynamics.kinematics:body_accelerations", "a_k + U_k @ r", "a_k + wd_k.cross(r) * 2 - U_k @ r"
    ),
    "motion: gyroscopic turning of an axis": Mutant(
        "dynamics.kinematics:body_accelerations", " + w.cross(turning)", ""
    ),
    "motion: drift of a joint's own axes": Mutant(
        "dynamics.kinematics:body_accelerations", "axis_acceleration(dofs, v)", "None"
    ),
    "motion: sign in the velocities": Mutant(
        "dynamics.kinematics:body_velocities", "parent.linear + parent", "parent.linear - parent"
    ),
    "mass matrix: coupling": Mutant(
        "dynamics.mass_matrix:wheel_moments", "spin.coupling_inertia * ratio", "0.0 * ratio"
    ),
    "mass matrix: sign of the coupling": Mutant(
        "dynamics.mass_matrix:wheel_moments", "(spin.coupling_inertia", "(-spin.coupling_inertia"
    ),
    "mass matrix: sign of one triangle": Mutant(
        "dynamics.mass_matrix:_add_pair", "M[j][i] = M[i][j]", "M[j][i] = -M[i][j]"
    ),
    "mass matrix: sign of the rotor inertia": Mutant(
        "dynamics.mass_matrix:_add_wheel_inertia", "spin.inertia * b_i", "-spin.inertia * b_i"
    ),
    "mass matrix: sign of a lever": Mutant("dynamics.mass_matrix:_add_link_entries", "+ pose.shift", "- pose.shift"),
    "Coriolis: gyroscopic term of a wheel": Mutant("dynamics.coriolis:add_spin", " + half * rate * N", ""),
    "Coriolis: coupling": Mutant("dynamics.coriolis:add_spin", "half = 0.5 * spin.coupling_inertia", "half = 0.0"),
    "Coriolis: sign in P": Mutant("dynamics.coriolis:add_spin", "else -N", "else N"),
    "Coriolis: gyroscopic term of a body": Mutant(
        "dynamics.coriolis:_composite_drifts", " - Rot.cross_matrix(tensor @ w)", ""
    ),
    "Coriolis: drift of a joint's own axes": Mutant(
        "dynamics.coriolis:_axis_twist", "body.omega - later", "body.omega"
    ),
    "energy: coupling": Mutant("dynamics.energy:kinetic_energy", "spin_energy + coupling_energy", "spin_energy"),
    "energy: sign of the height": Mutant("dynamics.energy:potential_energy", "total = -(", "total = ("),
    "momentum: coupling": Mutant("dynamics.energy:momentum", "spin.coupling_inertia * row_dot(spin.terms, v)", "0.0"),
    "momentum: sign of a lever": Mutant("dynamics.energy:momentum", "+ p.cross(push)", "- p.cross(push)"),
    "springs: sign": Mutant("dynamics.springs:add_springs", "+ factor * force", "- factor * force"),
    "springs: dampers": Mutant("dynamics.springs:add_springs", "spring.damping * (", "0.0 * ("),
    "elimination: sign": Mutant("dynamics.elimination:factorise_symmetric", "x[i] - factor", "x[i] + factor"),
    "regressor: gyroscopic term of a body": Mutant(
        "dynamics.regressor:_body_wrenches", " + w.cross(_unit_tensor_product(e, f, w))", ""
    ),
    "regressor: gyroscopic term of a wheel": Mutant(
        "dynamics.regressor:_spin_column", " + moving.omega.cross(spin.axis) * rate", ""
    ),
    "regressor: coupling": Mutant("dynamics.regressor:_spin_column", "rate_dot + share *", "rate_dot + 0.0 *"),
    "regressor: sign of a first moment": Mutant("dynamics.regressor:_body_wrenches", "h.cross(a)", "a.cross(h)"),
    "Lagrange: coupling": Mutant(
        "dynamics.other_formulations.lagrange:_wheel_term", "share * spin.axis.dot(z)", "0.0 * spin.axis.dot(z)"
    ),
    "Lagrange: sign of a Christoffel symbol": Mutant(
        "dynamics.other_formulations.lagrange:_add_christoffel", "- inertia_slope(j, k, i)", "+ inertia_slope(j, k, i)"
    ),
    "recursive: gyroscopic term of a body": Mutant(
        "dynamics.other_formulations.vukobratovic:_couple_form", " + w.cross(J @ w)", ""
    ),
    "recursive: gyroscopic term of a wheel": Mutant(
        "dynamics.other_formulations.vukobratovic:_couple_form", "free = free + link", "free + link"
    ),
    "recursive: coupling": Mutant(
        "dynamics.other_formulations.vukobratovic:_add_spin_equations",
        "ratio * spin.coupling_inertia * axis.dot(turn)",
        "0.0 * axis.dot(turn)",
    ),
    "recursive: sign": Mutant(
        "dynamics.other_formulations.vukobratovic:link_forms", "Delta = Delta + (w0", "Delta = Delta - (w0"
    ),
    "recursive: drift of a joint's own axes": Mutant(
        "dynamics.other_formulations.vukobratovic:link_forms", " + R @ drift", ""
    ),
    "Jacobian: sign of a lever": Mutant(
        "dynamics.task_space.jacobian:_body_columns", "z.cross(tip - p)", "z.cross(p - tip)"
    ),
    "batch: every state answers like the first": Mutant(
        "programs.batch:_evaluate_batch", "flat[..., k] = values", "flat[..., k] = np.ravel(values)[0]"
    ),
}
