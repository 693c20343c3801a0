"""Graphs as machine code: kernels, how they are compiled, cached on disk, loaded and called.

- A kernel: `kernel` (the object, `compile`), `compile` (made or found), `call`, `threads`; `rollout_loop` (a loop over
  steps).
- `llvm`: LLVM text of kernels.
- `host`: the processor, the cache on disk, code that is loaded.
- `restricted_python`: loops written in Python as machine code.

The only package that knows llvmlite.
"""
