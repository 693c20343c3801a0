"""Exact sensitivities of every characteristic of a task to parameters."""
