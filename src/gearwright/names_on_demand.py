"""Modules whose public names are imported when they are used: `import gearwright` takes milliseconds."""

from __future__ import annotations

import ast
from functools import cached_property
from importlib import import_module
from importlib.abc import InspectLoader
from importlib.util import find_spec
from pkgutil import get_data
from types import ModuleType
from typing import Any


class NamesOnDemand(ModuleType):
    """A package that imports a public name when it is used; its `if TYPE_CHECKING:` block states where each one is."""

    @cached_property
    def _modules(self) -> dict[str, str]:
        """The module of every public name; a namespace is a module of this package."""
        source = get_data(self.__name__, "__init__.py")
        block = next(x for x in ast.parse(source or b"").body if isinstance(x, ast.If))
        imports = [x for x in block.body if isinstance(x, ast.ImportFrom)]
        return {name.name: str(x.module) for x in imports for name in x.names}

    def __getattr__(self, name: str) -> Any:
        """Return a public name, or the function that other libraries call so."""
        if name.startswith("__") or name not in self._modules:
            from gearwright.functions.aliases import function_by_alias

            return function_by_alias(name, () if name.startswith("_") else self._namespaces_of(name))
        module = self._modules[name]
        is_namespace = module == self.__name__
        public_object = import_module(f"{module}.{name}") if is_namespace else getattr(import_module(module), name)
        vars(self)[name] = public_object
        return public_object

    def _namespaces_of(self, name: str) -> list[str]:
        """The namespaces that export a name, by their source text: nothing is imported for an error message."""
        namespaces = [space for space, module in self._modules.items() if module == self.__name__]
        specs = [spec for spec in (find_spec(f"{self.__name__}.{space}") for space in namespaces) if spec is not None]
        loaders = {spec.name: spec.loader for spec in specs if isinstance(spec.loader, InspectLoader)}
        sources = {module: loader.get_source(module) or "" for module, loader in loaders.items()}
        return [f"{module}.{name}" for module, source in sources.items() if f'    "{name}",\n' in source]

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute; the import of a package (`report`, `studio`) does not hide the function of its name."""
        if not isinstance(value, ModuleType) or self._modules.get(name, self.__name__) == self.__name__:
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*vars(self), *self.__all__})
