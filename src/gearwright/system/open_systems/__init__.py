"""A machine with its laws open to the outside: named states, inputs and parameters; operating points."""
