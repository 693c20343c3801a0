"""The search among sets of drives: enumeration, genetic search, and the tightest limit where no set is feasible."""
