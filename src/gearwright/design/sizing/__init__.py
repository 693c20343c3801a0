"""Sizing: ranking, verification by analysis, the result, controller gains."""
