"""The search among sets of drives: enumeration, genetic search, the limit that stands in the way."""
