"""Closed loops: their equations, the elimination of dependent speeds, and Newton steps, for any scalar type."""
