"""The benchmark: Gearwright and its peers in one run, speeds as ratios."""

from gearwright.bench.bench import bench
from gearwright.bench.report import ContenderTime, Promise, Report, Size

__all__ = ["ContenderTime", "Promise", "Report", "Size", "bench"]
