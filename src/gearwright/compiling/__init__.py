"""Machine code from graphs: kernels, their compilation, cache on disk, loading and calls.

- A kernel: `kernel` (the object, `compile`), `compile` (compiled or from the cache), `call`, `threads`; `rollout_loop`
  (a loop over steps).
- `llvm`: LLVM text of kernels.
- `host`: the processor, the cache on disk, loaded code.
- `restricted_python`: loops written in Python, translated to machine code; its types and intrinsics are named here.

The only package that imports llvmlite.
"""

from gearwright.compiling.restricted_python.intrinsics import (
    Code,
    Floats,
    Ints,
    Table,
    array_tail,
    invoke_callback,
    run_kernel,
    sqrt,
)

__all__ = ["Code", "Floats", "Ints", "Table", "array_tail", "invoke_callback", "run_kernel", "sqrt"]
