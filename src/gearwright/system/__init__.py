"""One machine with its laws: state vector, inputs, signals, balance of forces, guards, and the demands of a motion."""
