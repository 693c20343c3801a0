"""Gearwright and its peers in one run: speeds as ratios."""

from gearwright.bench.bench import bench

__all__ = ["bench"]
