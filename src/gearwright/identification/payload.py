"""A payload by difference: what is left when a robot that is known without it carries it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gearwright.arrays import Array
from gearwright.equations.independent_parameters import BaseParameters
from gearwright.errors import InputError
from gearwright.identification.consistent import ConsistentFit, consistent_among
from gearwright.identification.estimates import Estimates
from gearwright.identification.identification import Identification, Validation, excited
from gearwright.identification.least_squares import Method, solve
from gearwright.identification.log import Log
from gearwright.identification.model import Model
from gearwright.identification.unknowns import BodyParameters, Unknowns, central
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
    full = loaded.derived(mech, empty.cutoff)
    motion = full.motion()
    Y = empty.model.regressor(motion.q, motion.v, motion.a)
    left = full.torques - empty.base.columns(Y) @ empty.values
    model = _ten_columns(empty.model, index)
    own = model.regressor(motion.q, motion.v, motion.a)
    base, _ = excited(model, own)
    if not base.rank:
        raise InputError(f"identify_payload: this motion shows nothing of a payload on {mech.bodies[index].name!r}.")
    columns = base.columns(own)
    found = solve(columns, left, method)
    gain = _gain(columns, found.weights)  # values = gain @ torques
    carried = np.einsum("ptn,tnb->pb", gain, empty.base.columns(Y))
    covariance = found.covariance + carried @ empty.covariance @ carried.T
    fit = Validation(mech.speeds, motion.t, full.torques, full.torques - found.residuals)
    alone = Identification(
        model, base, found.values, covariance, fit, method, empty.cutoff, (), (), found.weights, None
    )
    return PayloadFit(
        mech.bodies[index].name,
        base,
        found.values,
        covariance,
        fit,
        consistent_among(alone, _ten_unknowns(model), trust),
    )


def _ten_columns(model: Model, index: int) -> Model:
    """A model of the payload alone: the machine's other columns are left out."""
    name = model.mech.bodies[index].name
    blank = Model(model.mech, (), "motor", name)
    others = tuple(column for column in blank.every_name if not column.startswith("payload."))
    return Model(model.mech, (), "motor", name, without=others)


def _ten_unknowns(model: Model) -> Unknowns:
    """The payload's own ten parameters, nothing else."""
    nominal = np.array([1.0, 0.0, 0.0, 0.0, 0.01, 0.0, 0.0, 0.01, 0.0, 0.01])
    nothing, itself = (np.zeros(0), np.zeros((0, 10))), (np.zeros(10), np.eye(10))
    return Unknowns(model.names, nominal, *itself, (BodyParameters(0),), (), nothing, itself)


def _gain(columns: Array, weights: Array) -> Array:
    """(Y'WY)^-1 Y'W as (P, T, n)."""
    weighted = columns * weights[..., None]
    normal = np.einsum("tnp,tnq->pq", columns, weighted)
    gain: Array = np.linalg.solve(normal, np.moveaxis(weighted, -1, 0).reshape(len(normal), -1))
    return gain.reshape(len(normal), *weights.shape)
