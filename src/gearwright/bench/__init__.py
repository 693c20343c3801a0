"""The benchmark: computing times of Gearwright and peer libraries in one run, as ratios."""

from gearwright.bench.bench import bench
from gearwright.bench.report import BenchmarkReport, ChainTiming, ContenderTime, Target

__all__ = ["BenchmarkReport", "ChainTiming", "ContenderTime", "Target", "bench"]
