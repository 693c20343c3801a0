"""Frozen values that other processes can be sent, mappings that nobody may change among them."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any


class Sendable:
    """A frozen dataclass with read-only mappings, which pickle does not know: they travel as plain ones."""

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled."""
        return {name: dict(x) if isinstance(x, MappingProxyType) else x for name, x in vars(self).items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Read-only again where it arrives."""
        for name, x in state.items():
            object.__setattr__(self, name, MappingProxyType(x) if isinstance(x, dict) else x)
