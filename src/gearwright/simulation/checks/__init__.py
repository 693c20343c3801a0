"""Checks of a run: energy balance, joint effort, and why a run cannot go on."""
