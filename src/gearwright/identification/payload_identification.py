"""Identification of a payload from the difference of torques with and without it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.equations import BaseParameters
from gearwright.errors import InputError
from gearwright.identification.estimates import Estimates
from gearwright.identification.experiment.log import Log
from gearwright.identification.fit.least_squares import FitMethod, joint_triangles, solve_least_squares
from gearwright.identification.fit.unknowns import BodyParameters, Unknowns, central_parameters
from gearwright.identification.identification import Identification, Validation, excited_parameters, reduced_triangles
from gearwright.identification.model.sample_blocks import SampleBlocks
from gearwright.identification.model.torque_model import TorqueModel
from gearwright.identification.physical_consistency import ConsistentFit, fit_unknowns
from gearwright.parts import Payload


@dataclass(frozen=True)
class PayloadFit(Estimates):
    """A payload estimated from the additional torques.

    Args:
        body: name of the body that carries it.
        base: identifiable combinations of its ten parameters.
        values: of these combinations.
        covariance: of the values.
        fit: prediction of the loaded log by robot and payload together.
        consistent: the ten parameters as a physically consistent body.
    """

    body: str
    base: BaseParameters
    values: Array
    covariance: Array
    fit: Validation
    consistent: ConsistentFit

    @cached_property
    def payload(self) -> Payload:
        """The payload as a part: mass, centre of mass and central tensor in the body's frame."""
        mass, com, inertia = central_parameters(self.consistent.x)
        return Payload(mass, com, self.body, inertia)


@check_arguments
def identify_payload(
    empty: Identification,
    loaded: Log,
    body: str | None = None,
    method: FitMethod = "wls",
    nominal_deviation: float = 10.0,
) -> PayloadFit:
    """Estimate a payload from a log with it and an identification without it.

    tau_loaded - Y base_empty = Y_body pi_payload: the identified parameters of the robot are fixed, and their
    uncertainty is propagated.

    Args:
        empty: identification of the robot without the payload.
        loaded: log of the robot with the payload.
        body: the body that carries it; by default the last body.
        method: as in `identify`.
        nominal_deviation: as in `fit_consistent`; the nominal payload is a body of 1 kg at the body's origin.
    """
    mech = empty.model.mech
    index = len(mech.bodies) - 1 if body is None else mech.body_index(body)
    full = loaded.with_derivatives(mech, empty.requested_cutoff)
    motion = full.motion()
    robot = empty.model.sample_blocks(motion, empty.base)
    remaining = full.torques - robot.multiply(empty.values)
    model = TorqueModel(mech, (), "motor", mech.bodies[index].name, only_payload=True)
    small = joint_triangles(model.sample_blocks(motion), remaining)
    base, _ = excited_parameters(model, small, len(motion.t))
    if not base.rank:
        raise InputError(
            f"identify_payload: the motion does not excite a payload on {mech.bodies[index].name!r}. Excite it more."
        )
    columns = model.sample_blocks(motion, base)
    solution = solve_least_squares(columns, remaining, method, reduced_triangles(small, model.base, base))
    propagation = _error_propagation(columns, robot, solution.weights)
    covariance = solution.covariance + propagation @ empty.covariance @ propagation.T
    fit = Validation(mech.speeds, motion.t, full.torques, full.torques - solution.residuals)
    used = None if full.origin is None else full.origin.cutoff
    alone = Identification(model, base, solution.values, covariance, fit, method, used, (), (), solution.weights)
    return PayloadFit(
        mech.bodies[index].name,
        base,
        solution.values,
        covariance,
        fit,
        fit_unknowns(alone, _payload_unknowns(model), nominal_deviation),
    )


def _payload_unknowns(model: TorqueModel) -> Unknowns:
    """The ten parameters of the payload as unknowns."""
    nominal = np.array([1.0, 0.0, 0.0, 0.0, 0.01, 0.0, 0.0, 0.01, 0.0, 0.01])
    no_rows, itself = (np.zeros(0), np.zeros((0, 10))), (np.zeros(10), np.eye(10))
    return Unknowns(model.columns, nominal, *itself, (BodyParameters(0),), no_rows, itself)


def _error_propagation(columns: SampleBlocks, robot: SampleBlocks, weights: Array) -> Array:
    """(Y'WY)^-1 Y'W Y_robot: derivative of the payload's parameters by those of the robot."""
    P = columns.shape[2]
    normal, mixed = np.zeros((P, P)), np.zeros((P, robot.shape[2]))
    for part, robot_columns in robot:
        Y = columns.make_block(part)
        weighted = (Y * weights[part, :, None]).reshape(-1, P)
        normal += Y.reshape(-1, P).T @ weighted
        mixed += weighted.T @ robot_columns.reshape(-1, robot.shape[2])
    return np.asarray(np.linalg.solve(normal, mixed), dtype=np.float64)
