"""Programs: the computation of each public function, defined once for every backend (inputs, recursion, result shape).

`program` defines the class, `dynamics_programs`, `kinematic_programs` and `redundant_programs` list the programs,
`inputs` checks arguments, `batch` evaluates a program with NumPy.
"""

from gearwright.programs.closed_loops.closed_mechanism import (
    INDEPENDENT,
    TREE,
    ClosedMechanism,
    approximate,
    assemble,
    machine_of,
)

__all__ = ["INDEPENDENT", "TREE", "ClosedMechanism", "approximate", "assemble", "machine_of"]
