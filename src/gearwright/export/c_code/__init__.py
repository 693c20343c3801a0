"""C99 for robot controllers: functions, package, self-test."""
