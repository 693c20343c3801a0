"""The public functions: arrays in, arrays out; `backend` chooses between NumPy and a compiled kernel.

- The dynamics: `dynamics` (`aliases` has the names of other libraries), `linearise`, `energies`, `explain`.
- Actuators and elastic drives: `actuation`, and the folder `elastic`.
- Closed loops, contacts, impacts: the folder `constrained`.
- From a call to a result: `public_call` (machine, checks), `backend` (NumPy or a kernel?), `special_kernels`.
"""
