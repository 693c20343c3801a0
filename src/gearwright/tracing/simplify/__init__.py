"""An equivalent machine with fewer operations: choice of frames and regrouping of inertias before the trace."""
