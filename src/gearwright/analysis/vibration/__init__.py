"""Vibration: natural modes, damping, frequency maps and frequency responses."""
