"""Parameter sweeps: points, measures, parallel workers, a store of results."""
