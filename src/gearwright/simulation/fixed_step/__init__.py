"""Fixed-step simulation: batches, stability, compiled loops, controlled steps."""
