"""Models compared: exact, approximate and reduced; energy balance; impacts."""
