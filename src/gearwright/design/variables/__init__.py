"""Design variables beside the drives: their ranges, evaluation, gradients, mixed search."""
