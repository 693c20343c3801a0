"""LLVM text of kernels: schedule, vectors of states, entry from Python, modules."""
