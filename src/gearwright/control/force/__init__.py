"""Hybrid position and force control on known contacts and environments."""
