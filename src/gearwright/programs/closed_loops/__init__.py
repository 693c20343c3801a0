"""Machines with closed loops: the choice of independent speeds, and configurations that close the loops."""
