"""Parameter sweeps: points, measures, workers, a store of results."""
