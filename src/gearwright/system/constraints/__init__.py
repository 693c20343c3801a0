"""Constraints of a machine with its laws: projection and consistent initial states."""
