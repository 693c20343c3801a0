"""Exciting motions, logs, filtering of measured signals."""
