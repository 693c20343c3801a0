"""Smooth segments of a prescribed motion, the states of laws along them, and the forces that close loops."""
