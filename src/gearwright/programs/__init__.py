"""What each public function computes, stated once for every backend: inputs, recursion, shape of the result.

`program` says what a program is, `dynamics_programs`, `kinematic_programs` and `redundant_programs` list them, `inputs`
checks what users give, `batch` runs one over NumPy.
"""
