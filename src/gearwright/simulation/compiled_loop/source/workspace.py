"""The workspace of the event loop: sizes, the current state, and memory for intermediate results."""

from __future__ import annotations

from gearwright.compiling import Code, Floats, Ints, Table
from gearwright.functions.constrained.contact_workspace import ContactWorkspace


class LoopWorkspace(ContactWorkspace):
    """Every field that the loop reads or writes besides those of a contact, in their order in memory."""

    # Sizes: state vector, its moving part [q, v, states], coordinates, speeds, inputs, laws
    nx: int
    nm: int
    nq: int
    n: int
    nu: int
    laws: int
    # Numbers of holds and drags, directions, guards, branch points, events of the user
    holds: int
    drags: int
    directions: int
    guards: int
    kinks: int
    watched: int

    # Tolerances, the longest step, the length of the run, and whether rates and event checks need the response of flows
    rtol: float
    atol: float
    longest: float
    span: float
    answers: int
    look_answers: int

    # Kernels and their argument tables; `tied` is not used if laws act by forces alone
    has_ties: int
    tied: Code
    tied_table: Table
    follow: Code
    follow_table: Table
    look: Code
    look_table: Table
    settling: Code
    settling_table: Table
    initial: Code
    initial_table: Table
    flanks: Code
    flanks_table: Table
    x_at: Floats
    t_at: Floats
    u: Floats
    chosen: Floats
    a: Floats
    felt: Floats
    moved: Floats
    looks: Floats
    violations: Floats
    initial_modes: Floats

    # Results of `tied`, see `event_kernels.balance_term_sizes`
    a0: Floats
    Y: Floats
    G: Floats
    along: Floats
    pace: Floats
    carried: Floats
    target: Floats
    compliance: Floats
    kept: Floats
    placed: Floats
    gain: Floats
    inflow: Floats
    sensed: Floats
    sensing: Floats

    # Structure of the laws, see `EventStructure`
    first_choice: Ints
    mode_count: Ints
    modes_together: Ints
    hold_begin: Ints
    hold_place: Ints
    hold_keeps: Ints
    hold_firm: Ints
    hold_projects: Ints
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
    guard_restitution: Floats
    look_solved: Ints

    # Inputs: piecewise Chebyshev series, held outputs of a sampled controller, bounds, a controller's kernel, or a
    # function to call back
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

    # Run point: time, state, modes, the next trial step, whether an integration has begun
    t: float
    x: Floats
    modes: Ints
    h: float
    begun: int
    bound: float
    latest: float
    still: int

    # Active holds and drags as unknowns of the balance: unknown j acts along direction `way`; holds come first
    unknowns: int
    held: int
    contacts: int
    way: Ints
    lead: Ints
    squares: Floats
    member_count: int
    member_place: Ints
    member_unknown: Ints
    member_keeps: Ints
    member_firm: Ints
    member_projects: Ints
    active_drags: int
    drag_at: Ints
    drag_unknown: Ints
    columns: int
    z: Floats

    # Linearly dependent constraints: unknowns in pivot order, the null space, whether and how far they are dependent
    solution: Floats
    null: Floats
    null_matrix: Floats
    null_right: Floats
    deficient: int

    # Projection onto position constraints
    projects: int
    displace: Code
    displace_table: Table
    displaced: Floats
    correction: Floats
    blow_count: int

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

    # An implicit step: its stages, residuals and Newton steps, the Jacobian, three factorised systems and the step they
    # belong to, the polynomial of the last step, and the errors that choose the next one
    implicit: int
    stages: Floats
    residuals: Floats
    stage_steps: Floats
    parts: Floats
    jacobian: Floats
    jacobian_known: int
    jacobian_current: int
    system_real: Floats
    system_imaginary: Floats
    pivots: Ints
    h_factorised: float
    newton_steps: int
    newton_rate: float
    t_polynomial: float
    h_polynomial: float
    x_polynomial: Floats
    polynomial: Floats
    h_last: float
    norm_last: float

    # Event checks: values at four times of a step, signs of branch functions; repeated steps that end at a branch point
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

    # Mode search: visited modes, changes per law, weights; a copy of the previous state
    visited: Ints
    changed: Ints
    weights: Ints
    searched: Ints
    x_before: Floats
    x_kept: Floats

    # Impacts: directions with their jumps, then turning gears; speeds that set their directions; flanks that change
    blow_way: Ints
    blow_unknown: Ints
    blow_jump: Floats
    sense: Floats
    v_before: Floats
    x_impact: Floats
    modes_before: Ints
    modes_kept: Ints
    flank_visited: Ints
    flank_changed: Ints
    flank_weights: Ints

    # The only contact (law -1: none): its lines, the states of its slip direction, the state before its impact, and
    # whether gears count as lossless in it
    contact_law: int
    contact_state: int
    contact_places: Ints
    x_contact: Floats
    lossless: int

    # Forces of the contact that are not unique: friction, forces, their rows of the null space, the offset along it,
    # gradient and Hessian of the distance from the cone
    cone_friction: float
    cone_forces: Floats
    cone_trial: Floats
    cone_null: Floats
    cone_offset: Floats
    cone_slope: Floats
    cone_curvature: Floats

    # Output: samples, and changes of modes
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

    # Requested rates
    t_asked: float
    x_asked: Floats
    rates_found: Floats

    # Exported models alone: parameters; directions of differentiation; derivatives of the terms of the force balance
    # (in the order of its results), of accelerations and reactions, and of the rates; unknown forces
    p: Floats
    x_along: Floats
    u_along: Floats
    p_along: Floats
    tied_along: Code
    tied_along_table: Table
    follow_along: Code
    follow_along_table: Table
    a0_along: Floats
    Y_along: Floats
    G_along: Floats
    along_along: Floats
    pace_along: Floats
    carried_along: Floats
    target_along: Floats
    compliance_along: Floats
    kept_along: Floats
    placed_along: Floats
    gain_along: Floats
    inflow_along: Floats
    sensed_along: Floats
    sensing_along: Floats
    a_along: Floats
    felt_along: Floats
    rates_along: Floats
    forces: Floats
