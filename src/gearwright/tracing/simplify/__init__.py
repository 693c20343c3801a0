"""An equivalent machine with fewer operations: frames and inertias chosen before the trace."""
