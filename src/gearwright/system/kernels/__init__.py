"""Kernels of a machine with its laws: rates, events, all modes, observation, identity in the cache."""
