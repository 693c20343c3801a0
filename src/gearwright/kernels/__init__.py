"""Running the recursions: NumPy batches, machine code, C, JAX, closed forms; the public functions.

The only room that knows backends. Where to find what:

- A call: `functions`, `linearise`, `actuation` (public; `aliases`), `inputs` (checks), `placement` (a result), `run`,
  `service` (NumPy or kernel?), `batch` (over NumPy).
- What is computed: `program`, `programs`; the scalars it runs over: `operations`, `symbols`.
- Fewer operations: `prepare` with `draft` (fixed joints merged), `reframe` (frames), `regroup` (inertias).
- A trace: `trace`, `walk`, `graph`; from it C by `source`, JAX by `jax_backend`, CasADi by `virtual_machine`.
- Machine code: `plan` (order, pieces), `emit`, `lanes`, `vector_operations` (LLVM text of a piece), `entry` (calls from
  Python), `module` (all of it), `host` (processor, LLVM), `store` (cache on disk; `cache_folder`: whether
  it is trusted, `source_files`: what its keys cover), `machine_code` (loaded).
- A kernel: `kernel` (the object), `compile`, `call`, `threads`, `vectorcall`, `machine_parameters` (numbers as inputs).
- Whole motions with a fixed step: `rollout` (public), `rollout_steps` (compiled once, run often), `rollout_system`
  (machine and laws), `rollout_code` (the loop over steps), `rollout_checks`,
  `rollout_stability` (how long a step may be).
- Equations to read and parameters to find: `closed_form`, `closed_form_text`, `trig_*`, `symbolic_machine`,
  `parameter_groups`, `base_parameters`, `exact_parameters`, `explain`.
- Links and rotors as free bodies: `redundant` (public), `redundant_programs`, `redundant_properties`.
- Speed: `bench` and `bench_*`, `peers`, `timing`, `peak`.
"""
