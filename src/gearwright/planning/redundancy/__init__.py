"""Redundant arms: least torque, and distributed positioning."""
