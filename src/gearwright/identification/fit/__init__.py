"""The fit of parameters: least squares, covariance, diagnostics, and the unknowns of a consistent fit."""
