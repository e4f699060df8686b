# SPDX-License-Identifier: Apache-2.0
"""Sources with a planted fault: a module with one place changed."""

from __future__ import annotations

import inspect
from types import ModuleType


def patched(module: ModuleType, before: str, after: str) -> ModuleType:
    """The module of a source in which one place is another."""
    text = inspect.getsource(module)
    assert text.count(before) == 1, before
    changed = ModuleType(module.__name__)
    changed.__package__ = module.__package__
    # Classes of the module are looked up by its name.
    exec(compile(text.replace(before, after), module.__file__ or "", "exec"), changed.__dict__)
    return changed
