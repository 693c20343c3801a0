"""The same dynamics by other formulations: Lagrange, Vukobratovic and Potkonjak, Melhem and Loria."""
