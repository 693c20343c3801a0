"""Programs run over recorded symbols: the graph of their operations, derivatives, C source, JAX, CasADi.

- Fewer operations before the trace: the folder `simplify`; numbers of a machine that stay symbols: `parameters`.
- What is requested: `recipe`; a trace and its derivatives: `trace`, `graph`, over the scalars of `symbols`.
- What follows from a graph: C text (`c_source`), JAX functions (`jax_backend`), CasADi (`casadi_backend`,
  `casadi_interpreter`).

The only package besides `bench` that knows CasADi and JAX.
"""
