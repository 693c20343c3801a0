"""Identification experiments: exciting motions, logs, and filtering of measured signals."""
