"""A payload by difference: what is left when a robot that is known without it carries it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.equations.base_parameters_numeric import BaseParameters
from gearwright.errors import InputError
from gearwright.identification.estimates import Estimates
from gearwright.identification.experiment.log import Log
from gearwright.identification.fit.least_squares import Method, solve, triangles
from gearwright.identification.fit.unknowns import BodyParameters, Unknowns, central
from gearwright.identification.identification import Identification, Validation, columns_of, excited
from gearwright.identification.model.sample_blocks import Blocks
from gearwright.identification.model.torque_model import Model
from gearwright.identification.physical_consistency import ConsistentFit, consistent_among
from gearwright.parts import Payload


@dataclass(frozen=True)
class PayloadFit(Estimates):
    """A payload found from the torques it adds.

    Args:
        body: name of the body that carries it.
        base: which combinations of its ten parameters the motion shows.
        values: those combinations.
        covariance: of the values.
        fit: prediction of the loaded log by robot and payload together.
        consistent: the ten parameters as a physically possible body.
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
        mass, com, inertia = central(self.consistent.x)
        return Payload(mass, com, self.body, inertia)


@check_arguments
def identify_payload(
    empty: Identification, loaded: Log, body: str | None = None, method: Method = "wls", trust: float = 10.0
) -> PayloadFit:
    """Find a payload from a log with it and an identification without it.

    tau_loaded - Y base_empty = Y_body pi_payload: the robot's own parameters stay as identified, and their uncertainty
    is carried over.

    Args:
        empty: identification of the robot without the payload.
        loaded: log of the robot with it.
        body: the body that carries it; the last body unless given.
        method: as in `identify`.
        trust: as in `consistent`; the nominal payload is 1 kg of the size of a fist at the body's origin.
    """
    mech = empty.model.mech
    index = len(mech.bodies) - 1 if body is None else mech.index(body)
    full = loaded.derived(mech, empty.asked_cutoff)
    motion = full.motion()
    robot = empty.model.blocks(motion, empty.base)
    left = full.torques - robot.times(empty.values)
    model = Model(mech, (), "motor", mech.bodies[index].name, only_payload=True)
    small = triangles(model.blocks(motion), left)
    base, _ = excited(model, small, len(motion.t))
    if not base.rank:
        raise InputError(f"identify_payload: this motion shows nothing of a payload on {mech.bodies[index].name!r}.")
    columns = model.blocks(motion, base)
    found = solve(columns, left, method, columns_of(small, model.base, base))
    carried = _carried(columns, robot, found.weights)
    covariance = found.covariance + carried @ empty.covariance @ carried.T
    fit = Validation(mech.speeds, motion.t, full.torques, full.torques - found.residuals)
    used = None if full.origin is None else full.origin.cutoff
    alone = Identification(model, base, found.values, covariance, fit, method, used, (), (), found.weights)
    return PayloadFit(
        mech.bodies[index].name,
        base,
        found.values,
        covariance,
        fit,
        consistent_among(alone, _ten_unknowns(model), trust),
    )


def _ten_unknowns(model: Model) -> Unknowns:
    """The payload's own ten parameters, nothing else."""
    nominal = np.array([1.0, 0.0, 0.0, 0.0, 0.01, 0.0, 0.0, 0.01, 0.0, 0.01])
    nothing, itself = (np.zeros(0), np.zeros((0, 10))), (np.zeros(10), np.eye(10))
    return Unknowns(model.columns, nominal, *itself, (BodyParameters(0),), nothing, itself)


def _carried(columns: Blocks, robot: Blocks, weights: Array) -> Array:
    """(Y'WY)^-1 Y'W Y_robot: how an error of the robot's parameters shows in those of the payload."""
    P = columns.shape[2]
    normal, mixed = np.zeros((P, P)), np.zeros((P, robot.shape[2]))
    for part, own in robot:
        Y = columns.make(part)
        weighted = (Y * weights[part, :, None]).reshape(-1, P)
        normal += Y.reshape(-1, P).T @ weighted
        mixed += weighted.T @ own.reshape(-1, robot.shape[2])
    return np.asarray(np.linalg.solve(normal, mixed), dtype=np.float64)
