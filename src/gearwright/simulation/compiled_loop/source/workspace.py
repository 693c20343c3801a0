"""The workspace of the event loop: sizes, places, the current state, and memory for everything in between."""

from __future__ import annotations

from gearwright.simulation.compiled_loop.source.intrinsics import Code, Floats, Ints, Table


class Work:
    """Every field that the loop reads or writes; arrays are flat.

    The order is that of the fields in memory.
    """

    # Sizes: state vector, its moving part [q, v, states], coordinates, speeds, inputs, laws
    nx: int
    nm: int
    nq: int
    n: int
    nu: int
    laws: int
    # Places of holds and drags, directions, guards, kinks, events that a user watches
    holds: int
    drags: int
    directions: int
    guards: int
    kinks: int
    watched: int

    # Tolerances, the longest step, the length of the run, and whether rates and looks need to know how flows answer
    rtol: float
    atol: float
    longest: float
    span: float
    answers: int
    look_answers: int

    # Kernels and what they are given; `tied` is not used where laws act by forces alone
    has_ties: int
    tied: Code
    tied_table: Table
    follow: Code
    follow_table: Table
    look: Code
    look_table: Table
    settling: Code
    settling_table: Table
    x_at: Floats
    t_at: Floats
    u: Floats
    chosen: Floats
    a: Floats
    felt: Floats
    moved: Floats
    looks: Floats
    violations: Floats

    # What `tied` gives, see `event_kernels.tied_sizes`
    a0: Floats
    Y: Floats
    G: Floats
    along: Floats
    pace: Floats
    carried: Floats
    target: Floats
    compliance: Floats
    kept: Floats
    gain: Floats
    inflow: Floats
    sensed: Floats
    sensing: Floats

    # Structure of the laws, see `EventStructure`
    first_choice: Ints
    mode_count: Ints
    hold_begin: Ints
    hold_place: Ints
    hold_keeps: Ints
    hold_firm: Ints
    place_direction: Ints
    place_factor: Floats
    place_rigid: Ints
    direction_speed: Ints
    direction_term: Floats
    drag_begin: Ints
    drag_place: Ints
    drag_direction: Ints
    drag_factor: Floats
    shares: Floats
    guard_first: Ints
    guard_begin: Ints
    guard_to: Ints
    guard_direction: Ints
    guard_factor: Floats
    guard_restitution: Floats
    look_solved: Ints

    # Inputs: pieces of Chebyshev series, what a sampled controller holds, bounds, a controller's kernel, or a function
    # to call back
    calls: int
    callback: Code
    watcher: Code
    state: Floats
    has_control: int
    control: Code
    control_table: Table
    t_control: Floats
    commands: Floats
    controlled: Floats
    controls: int
    pieces: int
    piece: int
    piece_begin: Floats
    piece_middle: Floats
    piece_half: Floats
    piece_degree: Ints
    coefficients: Floats
    room: int
    held_keep: Floats
    held_add: Floats
    bounded: int
    bounds: Floats

    # Where the run is: time, state, modes, the step to try next, whether a march has begun
    t: float
    x: Floats
    modes: Ints
    h: float
    begun: int
    bound: float
    latest: float
    still: int

    # The holds and drags at hand as unknowns of the balance: unknown j acts along `way`; holds come first
    unknowns: int
    held: int
    way: Ints
    lead: Ints
    squares: Floats
    member_count: int
    member_place: Ints
    member_unknown: Ints
    member_keeps: Ints
    member_firm: Ints
    active_drags: int
    drag_at: Ints
    drag_unknown: Ints
    matrix: Floats
    right: Floats
    columns: int
    z: Floats

    # A step: stages, error, the state after it, its dense output
    K: Floats
    y: Floats
    y_new: Floats
    t_new: float
    h_taken: float
    h_next: float
    F: Floats
    dense_known: int
    fast: float
    y_kept: Floats

    # Looks: values at four places of a step, sides of kinks; steps that are taken again to end at one
    looked: Floats
    sides: Floats
    sides_new: Floats
    y_look: Floats
    t_event: float
    t_kink: float
    until_kink: float
    trials: int
    size: float
    ignore_kinks: int
    kink_times: Floats
    kink_count: int

    # Settling: modes that were visited, how often laws changed, weights; a copy of the state before
    visited: Ints
    changed: Ints
    weights: Ints
    x_before: Floats
    blow_way: Ints
    blow_unknown: Ints
    blow_jump: Floats

    # What is told: samples, and changes of modes
    sample_times: Floats
    sample_count: int
    sampled: int
    sample_x: Floats
    sample_u: Floats
    sample_modes: Ints
    sample_a: Floats
    sample_felt: Floats
    felt_size: int
    event_room: int
    events: int
    event_t: Floats
    event_law: Ints
    event_mode: Ints
    pause: int

    # Rates that somebody asks for
    t_asked: float
    x_asked: Floats
    rates_found: Floats
