"""Exact sensitivities of every characteristic to parameters."""
