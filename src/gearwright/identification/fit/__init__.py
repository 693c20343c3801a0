"""Least squares, covariance, diagnostics, and the unknowns of a consistent fit."""
