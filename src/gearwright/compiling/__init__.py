"""A graph as machine code.

- LLVM text: `plan` (order, pieces), `emit`, `lanes`, `vector_operations` (a piece), `entry` with `entry_text`
  and `python_objects` (calls from Python),
  `module` (all of it), `rollout_code` (a loop over steps).
- The processor and LLVM: `host`; the cache on disk: `store`; code that is loaded: `machine_code`.
- A kernel: `kernel` (the object, `compile`), `compile` (made or found), `call`, `threads`.

The only room that knows llvmlite.
"""
