"""Numbers with derivatives: Taylor series in time, dual numbers for parameters, the variational equation."""
