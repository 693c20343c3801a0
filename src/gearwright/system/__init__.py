"""A machine with its laws: state vector, inputs, signals, force balance, numeric and compiled evaluation."""
