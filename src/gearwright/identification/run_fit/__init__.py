"""Parameters from logs of ordinary runs: simulated outputs fitted to measured ones by exact sensitivities."""
