"""Transmissions: mesh efficiency, losses, backlash, hysteresis, kinematic error, nonlinear springs."""
