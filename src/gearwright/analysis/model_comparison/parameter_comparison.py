"""Comparison of exact and approximate forces for changing parameters of a robot, with compiled kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gearwright.analysis.model_comparison.comparison import Comparison, uncoupled_spins
from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.compiling.kernel import Kernel
from gearwright.compiling.kernel import compile as compiled
from gearwright.errors import InputError
from gearwright.functions import inverse_dynamics
from gearwright.mechanism import assemble_tree
from gearwright.motion import Motion
from gearwright.parts import Robot, with_parameters

COMPARED_MODELS = ("exact", "reflected", "diagonal", "none")


@dataclass(frozen=True)
class ParameterComparison:
    """Exact and approximate generalized forces of a motion as functions of a robot's parameters.

    `parameter_comparison` compiles one kernel per approximation; every further value of a parameter then costs
    microseconds instead of an assembly of the robot.

    Args:
        robot: the robot.
        kernels: kind of approximation -> kernel of the inverse dynamics.
        uncoupled: names of the spins whose coupling to the links vanishes in every configuration.
    """

    robot: Robot
    kernels: dict[str, Kernel]
    uncoupled: tuple[str, ...]

    @property
    def parameters(self) -> tuple[str, ...]:
        """Paths of the parameters, in the order of their values."""
        return self.kernels["exact"].parameters

    @property
    def nominal_values(self) -> Array:
        """The parameters' values in the robot, (P,)."""
        return self.kernels["exact"].nominal_parameters

    def generalised_forces(self, values: ArrayLike, motion: Motion) -> dict[str, Array]:
        """Per kind the generalized forces [Nm, N] (T, n) of a motion for the parameters' values (P,)."""
        parameter_values = np.asarray(values, dtype=float)
        if parameter_values.shape != (len(self.parameters),):
            raise InputError(
                f"forces: {parameter_values.size} values for {len(self.parameters)} parameters. Give one each."
            )
        return {
            kind: kernel(motion.q, motion.v, motion.a, parameters=parameter_values)
            for kind, kernel in self.kernels.items()
        }

    def compare_at(self, values: ArrayLike, motion: Motion) -> Comparison:
        """The comparison for these parameter values."""
        forces = self.generalised_forces(values, motion)
        numbers = dict(zip(self.parameters, np.asarray(values, dtype=float).tolist(), strict=True))
        mech = assemble_tree(with_parameters(self.robot, numbers))
        return Comparison(mech, motion, forces.pop("exact"), forces, self.uncoupled)


@check_arguments
def parameter_comparison(
    robot: Robot, parameters: Sequence[str], kinds: Sequence[str] = COMPARED_MODELS[1:]
) -> ParameterComparison:
    """Compile the exact inverse dynamics and its approximations of a robot with parameters as inputs.

    >>> import gearwright as gw
    >>> from gearwright.motion import polynomial
    >>> found = parameter_comparison(gw.load("elbow"), ["j2.gear.ratio"])
    >>> motion = polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=1.0).sample(51)
    >>> low, high = (np.abs(found.generalised_forces([ratio], motion)["exact"][:, 1]).max() for ratio in (50.0, 100.0))
    >>> bool(low < high)
    True
    """
    kernels = {
        kind: compiled(inverse_dynamics, robot, parameters, approximation=kind)
        for kind in dict.fromkeys(("exact", *kinds))
    }
    return ParameterComparison(robot, kernels, uncoupled_spins(robot))
