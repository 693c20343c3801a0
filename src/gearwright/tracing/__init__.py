"""A program run over recorded symbols: the graph of its operations, and what can be made of one.

- Fewer operations before the trace: `prepare` with `draft` (fixed joints merged), `reframe` (frames), `regroup`
  (inertias); numbers of a machine that stay symbols: `machine_parameters`.
- What is asked for: `recipe`; a trace and its derivatives: `trace`, `walk`, `graph`, over the scalars of `symbols`.
- What follows from a graph: C text (`source`), JAX functions (`jax_backend`), CasADi (`virtual_machine`).

The only room that knows CasADi and JAX.
"""
