"""Frozen values with read-only mappings that can be pickled for other processes."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any


class Picklable:
    """A frozen dataclass whose read-only mappings are pickled as plain ones."""

    def __getstate__(self) -> dict[str, Any]:
        """The pickled state."""
        return {name: dict(x) if isinstance(x, MappingProxyType) else x for name, x in vars(self).items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the read-only mappings."""
        for name, x in state.items():
            object.__setattr__(self, name, MappingProxyType(x) if isinstance(x, dict) else x)
