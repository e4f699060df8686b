# SPDX-License-Identifier: Apache-2.0
"""Modules beside the file of a definition. The definition may import them by name, as a script may import those of its folder.

::

    a/mymode.py  import helper ──▶ a/helper.py         each folder keeps its own modules: the two helpers never meet,
    b/mymode.py  import helper ──▶ b/helper.py         and outside ``importable`` nobody sees either
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

__all__ = ["importable"]

_MODULES: dict[str, dict[str, ModuleType]] = {}
"""The modules of each folder."""

_NAMES: dict[str, tuple[int, set[str]]] = {}
"""The names in each folder, with the time of its last change.  A definition runs thousands of times in a check."""


@contextmanager
def importable(folder: str, fresh: bool = False) -> Iterator[None]:
    """Lets the modules of a folder be imported by their names.

    Afterwards ``sys.path`` and ``sys.modules`` are as before.  Modules imported from the folder are kept for the next time, and modules
    that they hid are restored.  Nothing happens if the folder is an empty text, or if Python searches it anyway.

    Parameters
    ----------
    folder : str
        Absolute path, or "".
    fresh : bool
        Whether to read modules again that were imported before, because their files may have changed.
    """
    if not folder or folder in sys.path or not Path(folder).is_dir():
        yield
        return
    names = _names(folder, fresh)
    own = {} if fresh else _MODULES.get(folder, {})
    hidden = _loaded(names)
    for name in hidden:
        del sys.modules[name]
    sys.modules.update(own)
    sys.path.insert(0, folder)
    if fresh:
        importlib.invalidate_caches()
    # Files that change within a second would be taken for those of their old byte code, and the folder is the user's.
    write, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = write
        if folder in sys.path:
            sys.path.remove(folder)
        _MODULES[folder] = _loaded(names)
        for name in _MODULES[folder]:
            del sys.modules[name]
        sys.modules.update(hidden)


def _loaded(names: set[str]) -> dict[str, ModuleType]:
    """The modules in use that have these names, with those in them."""
    if names.isdisjoint(sys.modules):
        return {}
    return {name: module for name, module in sys.modules.items() if name.partition(".")[0] in names}


def _names(folder: str, fresh: bool) -> set[str]:
    """Names of the modules in a folder, except those of the standard library and of this package."""
    changed = Path(folder).stat().st_mtime_ns
    known = _NAMES.get(folder)
    if fresh or known is None or known[0] != changed:
        known = _NAMES[folder] = changed, _names_in(folder)
    return known[1]


def _names_in(folder: str) -> set[str]:
    found = {entry.stem if entry.suffix == ".py" else entry.name for entry in Path(folder).iterdir() if _is_module(entry)}
    return {name for name in found if name.isidentifier()} - set(sys.stdlib_module_names) - {"modeloom", "__main__"}


def _is_module(entry: Path) -> bool:
    return entry.suffix == ".py" or (entry / "__init__.py").is_file()
