"""Adaptive integrators: integration to the first event, stiffness detection, projection onto constraints."""
