"""Sizes and constant arrays of the event loop's workspace, for its machine code and for exported C."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from gearwright.forces.event_tolerances import (
    EVENT_CHECKS_PER_STEP,
    MAX_CHANGES_PER_LAW,
    MAX_FLANK_CHANGES,
    MAX_NEAR_BRANCH_POINTS,
    MAX_SEARCHED_MODES,
)
from gearwright.functions.constrained.contact_workspace import (
    CONTACT_ROWS,
    CONTACT_VECTORS,
    PATH_SIZE,
    PATH_VECTORS,
)
from gearwright.simulation.compiled_loop.source.step_coefficients import RADAU_STAGES, RADAU_SYSTEMS
from gearwright.system.kernels.event_kernels import balance_term_sizes
from gearwright.system.kernels.event_structure import EventStructure
from gearwright.system.system import System

DOP853_STAGE_ROWS, DENSE_OUTPUT_ROWS = 16, 7
"""Rows of rates of a step, and of its dense output."""


@dataclass(frozen=True)
class WorkspaceSizes:
    """The sizes of a workspace.

    Args:
        system: the machine with its laws.
        structure: the places of holds, drags and guards.
        inputs: number of inputs.
        watched_events: number of events of the user.
        event_capacity: number of changes of modes that are recorded before the loop returns.
    """

    system: System
    structure: EventStructure
    inputs: int
    watched_events: int
    event_capacity: int

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The numbers of the workspace that count something."""
        system, structure = self.system, self.structure
        return {
            **{"nx": system.size, "nm": system.law_slice.stop, "nq": system.mech.nq, "n": system.mech.n},
            **{"nu": self.inputs, "laws": len(structure.mode_count)},
            **{"holds": structure.hold_count, "drags": structure.drag_count, "directions": structure.directions},
            **{"guards": structure.guards, "kinks": structure.kinks, "watched": self.watched_events},
            **{"felt_size": structure.reaction_size, "controls": len(system.controller_states)},
            **{"answers": int(structure.answers), "look_answers": int(structure.look_answers)},
            **{"contact_law": structure.contact_law, "contact_state": structure.contact_state},
            **{"contact_rows": len(structure.contact_places), "event_room": self.event_capacity},
        }

    @property
    def constant_arrays(self) -> dict[str, list[int] | list[float]]:
        """The constant arrays by name."""
        lists = {name: values for name, values in self.structure.cache_facts().items() if isinstance(values, list)}
        return {"first_choice": [0, *accumulate(self.structure.mode_count)], **lists}

    @property
    def balance_terms(self) -> dict[str, int]:
        """The results of the force balance kernel, in one array."""
        return balance_term_sizes(self.system.mech.n, self.structure)

    @property
    def max_unknowns(self) -> int:
        """The largest number of unknown forces, or of impulses."""
        return self.structure.hold_count + self.structure.drag_count + 2

    @property
    def max_columns(self) -> int:
        """The largest number of right sides: of forces, and of the responses to each drag or each line of a contact."""
        return 1 + max(self.structure.drag_count, CONTACT_ROWS)

    @property
    def float_arrays(self) -> dict[str, int]:
        """The sizes of all arrays of floats that the loop writes, without the results of the force balance kernel."""
        numbers, structure = self.numbers, self.structure
        nx, nm, n, nq, nu = (numbers[name] for name in ("nx", "nm", "n", "nq", "nu"))
        unknowns, columns = self.max_unknowns, self.max_columns
        looks = structure.guards + structure.kinks + self.watched_events
        return {
            **{"x_at": nm, "t_at": 1, "u": nu, "chosen": sum(structure.mode_count)},
            **{"a": n, "felt": structure.reaction_size, "moved": nm + 2, "looks": looks},
            **{"violations": structure.guards, "initial_modes": numbers["laws"]},
            **{"state": nx, "controlled": numbers["controls"], "x": nx, "held_keep": nu, "held_add": nu},
            **{"squares": unknowns, "matrix": unknowns * unknowns, "right": unknowns * columns, "z": unknowns},
            **{"solution": unknowns * columns, "null": unknowns * unknowns, "null_matrix": unknowns * unknowns},
            **{"null_right": unknowns * columns, "displaced": nq, "correction": n},
            **{"K": DOP853_STAGE_ROWS * nx, "F": DENSE_OUTPUT_ROWS * nx, "y": nx, "y_kept": 2 * nx, "y_new": nx},
            **{"stages": RADAU_STAGES * nx, "residuals": RADAU_STAGES * nx, "stage_steps": RADAU_STAGES * nx},
            **{"parts": 2 * nx, "jacobian": nx * nx, "x_polynomial": nx, "polynomial": RADAU_STAGES * nx},
            **dict.fromkeys(("system_real", "system_imaginary"), RADAU_SYSTEMS * nx * nx),
            **{"y_look": nx, "x_before": nx, "x_kept": nx, "x_impact": nx, "sense": n, "v_before": n},
            **{"blow_jump": unknowns, "looked": (EVENT_CHECKS_PER_STEP + 1) * looks},
            **{"sides": structure.kinks, "sides_new": structure.kinks, "kink_times": MAX_NEAR_BRANCH_POINTS},
            **{"event_t": self.event_capacity, "x_asked": nx, "rates_found": nx, "x_contact": nx},
            **dict.fromkeys(("contact_matrix", "path_matrix"), CONTACT_ROWS * CONTACT_ROWS),
            **dict.fromkeys(CONTACT_VECTORS, CONTACT_ROWS),
            **dict.fromkeys(PATH_VECTORS, PATH_SIZE),
            **dict.fromkeys(("cone_forces", "cone_trial", "cone_slope"), CONTACT_ROWS),
            **{"cone_null": CONTACT_ROWS * unknowns, "cone_offset": unknowns, "cone_curvature": CONTACT_ROWS**2},
        }

    @property
    def int_arrays(self) -> dict[str, int]:
        """The sizes of all arrays of whole numbers that the loop writes."""
        laws = self.numbers["laws"]
        members = ("member_place", "member_unknown", "member_keeps", "member_firm", "member_projects")
        names = ("way", "lead", *members, "order", "drag_at", "drag_unknown", "blow_way", "blow_unknown")
        return {
            **{
                "modes": laws,
                "modes_before": laws,
                "modes_kept": laws,
                "visited": laws * (MAX_CHANGES_PER_LAW * (laws + 1) + 2),
            },
            **{"changed": laws, "weights": laws, "searched": laws * MAX_SEARCHED_MODES},
            **{"flank_visited": laws * (MAX_FLANK_CHANGES + 2), "flank_changed": laws, "flank_weights": laws},
            **dict.fromkeys(names, self.max_unknowns),
            **{"pivots": RADAU_SYSTEMS * self.numbers["nx"]},
            **{"event_law": self.event_capacity, "event_mode": self.event_capacity},
        }

    def exported_arrays(self, parameters: int) -> dict[str, int]:
        """The sizes of arrays that exported models have: a line per input, parameters, derivatives, balance terms."""
        numbers, structure, terms = self.numbers, self.structure, sum(self.balance_terms.values()) + 1
        return {
            **{"piece_begin": 1, "piece_middle": 1, "piece_half": 1, "coefficients": 2 * self.inputs},
            **{"p": parameters, "p_along": parameters, "u_along": self.inputs, "x_along": numbers["nx"]},
            **{"a_along": numbers["n"], "felt_along": structure.reaction_size, "rates_along": numbers["nx"]},
            **{"forces": self.max_unknowns * self.max_columns, "terms": terms, "terms_along": terms},
        }
