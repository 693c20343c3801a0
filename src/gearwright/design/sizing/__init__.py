"""Sizing of drives: ranking, verification by analysis, the result, controller gains."""
