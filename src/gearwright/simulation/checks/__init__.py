"""Checks of a run: energy balance, joint effort, and the errors that end a run."""
