"""A machine with its laws as an open system: named states, inputs and parameters; operating points."""
