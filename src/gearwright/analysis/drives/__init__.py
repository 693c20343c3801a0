"""Drives over a cycle: loads, limits, temperatures, forces on teeth."""
