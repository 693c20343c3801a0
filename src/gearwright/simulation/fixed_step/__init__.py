"""Motions with a fixed step: batches, stability, compiled loops, controlled steps."""
