"""Random machines, outside oracles and the laws as residuals: what several test rooms share."""
