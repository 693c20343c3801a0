"""The machine that the tests of kernels share."""

from support.kernels import arm, inverse  # noqa: F401
