"""Design variables besides the drives: their ranges, evaluation, gradients, mixed search."""
