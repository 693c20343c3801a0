"""Integration in Python that records samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from gearwright.arrays import Array
from gearwright.simulation.integrators.constraint_projection import Projection
from gearwright.simulation.integrators.integrate_to_event import IntegrationResult, Integrator
from gearwright.simulation.python_loop.branch_points import BranchPoints
from gearwright.simulation.recorder import Recorder


@dataclass(frozen=True)
class SampledIntegrator:
    """An integration between two events.

    Args:
        engine: the integrator.
        should_stop: whether the loop in machine code can take over.
        times: of the samples [s].
        recorder: has the number of recorded samples.
        branch_points: counts the branch points that are met.
        project: projects a state onto the constraints.
    """

    engine: Integrator
    should_stop: Callable[[], bool]
    times: Array
    recorder: Recorder
    branch_points: BranchPoints
    project: Projection | None = None

    def integrate_to(self, bound: float, record: Callable[[float, Array], None]) -> IntegrationResult:
        """Integrate to the bound, the next event or the next branch point, and record samples."""
        while True:
            due = len(self.recorder)
            limit = min(bound, float(self.times[due]) if due < len(self.times) else bound)
            result = self.engine.advance_to(limit)
            if self.project is not None:  # the dense output is not on the constraints
                result = replace(result, x=self.project(result.t, result.x))
            if due < len(self.times) and result.t >= self.times[due]:
                record(result.t, result.x)
            if result.is_branch_point:
                self.recorder.remarks.extend(filter(None, [self.branch_points.add_crossing(result.t)]))
            if result.is_event or result.is_branch_point or result.t >= bound or self.should_stop():
                return result
