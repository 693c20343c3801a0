"""A march in Python that records samples on its way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from gearwright.arrays import Array
from gearwright.simulation.integrators.constraint_projection import Projection
from gearwright.simulation.integrators.integrate_to_event import March, Reached
from gearwright.simulation.python_loop.branch_points import Kinks
from gearwright.simulation.recorder import Recorder


@dataclass(frozen=True)
class SampledMarch:
    """An integrator at work between two events.

    Args:
        engine: the integrator.
        enough: whether somebody else can go on.
        times: of the samples [s].
        recorder: knows how many were taken.
        kinks: count the kinks that are met.
        project: puts a state back onto what is held.
    """

    engine: March
    enough: Callable[[], bool]
    times: Array
    recorder: Recorder
    kinks: Kinks
    project: Projection | None = None

    def to(self, bound: float, record: Callable[[float, Array], None]) -> Reached:
        """March to the bound, the next event or the next kink, recording samples on the way."""
        while True:
            due = len(self.recorder)
            limit = min(bound, float(self.times[due]) if due < len(self.times) else bound)
            reached = self.engine.advance(limit)
            if self.project is not None:  # between two steps the state is interpolated
                reached = replace(reached, x=self.project(reached.t, reached.x))
            if due < len(self.times) and reached.t >= self.times[due]:
                record(reached.t, reached.x)
            if reached.kink:
                self.recorder.remarks.extend(filter(None, [self.kinks.meet(reached.t)]))
            if reached.event or reached.kink or reached.t >= bound or self.enough():
                return reached
