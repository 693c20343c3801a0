"""Vibration: modes, damping, frequency maps and responses."""
