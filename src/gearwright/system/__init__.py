"""One machine with its laws: state vector, inputs, signals, balance of forces, guards."""
