"""Checks of a run: energy balance, joint effort, and the errors of runs that cannot go on."""
