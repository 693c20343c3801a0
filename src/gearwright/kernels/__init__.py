"""Running the recursions: NumPy batches, traces, and the public functions.

The only room that knows backends.
"""
