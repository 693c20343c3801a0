"""Redundant robots: least torque, energy and time, and distributed positioning."""
