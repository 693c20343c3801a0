"""Audit of models by others: contradictions between armatures, ratios, limits, gains, friction and inertias."""
