"""A program run over recorded symbols: the graph of its operations, and what can be made of one.

- Fewer operations before the trace: the folder `simplify`; numbers of a machine that stay symbols: `parameters`.
- What is asked for: `recipe`; a trace and its derivatives: `trace`, `graph`, over the scalars of `symbols`.
- What follows from a graph: C text (`c_source`), JAX functions (`jax_backend`), CasADi (`casadi_backend`,
  `casadi_interpreter`).

The only package that knows CasADi and JAX.
"""
