"""The event loop in Python: rates in modes, branch points, sampled integration."""
