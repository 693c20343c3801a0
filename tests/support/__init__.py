"""Random machines, outside oracles and the laws as residuals: what several folders of tests share."""
