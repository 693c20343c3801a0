"""Symbolic tracing of programs: the graph of their operations, derivatives, C source, JAX, CasADi.

- Simplification before the trace: the folder `simplify`; numbers of a machine that remain symbols: `parameters`.
- Requests: `recipe`; a trace and its derivatives: `trace`, `graph`, over the scalars of `symbols`.
- Outputs of a graph: C text (`c_source`), JAX functions (`jax_backend`), CasADi (`casadi_backend`,
  `casadi_interpreter`).

The only package besides `bench` that imports CasADi and JAX.
"""
