"""Controllers of a run: functions of time and state, and control laws over scalars."""
