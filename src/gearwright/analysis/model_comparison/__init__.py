"""Comparison of models: exact, approximate and reduced; energy balance; impacts."""
