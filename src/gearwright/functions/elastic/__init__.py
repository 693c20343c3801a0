"""Elastic machines: their equations in blocks, the motion of motors, redundant Cartesian models."""
