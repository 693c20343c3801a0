"""What users call: arrays in, arrays out; a service decides which backend answers.

- The dynamics: `functions` (`aliases` has the names of other libraries), `linearise`, `constrained`, `explain`.
- Actuators and elastic drives: `actuation`, `elastic` with `elastic_plan`.
- Links and rotors as free bodies: `redundant`, `redundant_properties`.
- From a call to a result: `run` (machine, checks), `service` (NumPy or a kernel?).
"""
