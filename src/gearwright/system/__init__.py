"""A machine with its laws: state vector, inputs, signals, balance of forces, evaluation in numbers and in kernels."""
