# SPDX-License-Identifier: Apache-2.0
"""A mutated function in place of the one that is loaded: its code is exchanged, so that whoever holds the function has the mutant."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

__all__ = ["exchange"]


def exchange(file: str, scope: str, source: str) -> None:
    """Exchanges the code of the outermost function of a scope.

    Parameters
    ----------
    file : str
        Path of the module below ``src``.
    scope : str
        Names of classes and functions, with dots.
    source : str
        The whole mutated source.

    Raises
    ------
    LookupError
        The scope is no function that is found by its name, or its code does not fit.
    """
    name = file.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    function, qualified = _function(importlib.import_module(name), scope)
    found = [code for code in _codes(compile(source, function.__code__.co_filename, "exec")) if code.co_qualname == qualified]
    if len(found) != 1:
        raise LookupError(f"{qualified} is there {len(found)} times")
    try:
        function.__code__ = found[0]
    except ValueError as error:
        raise LookupError(str(error)) from error


def _function(holder: Any, scope: str) -> tuple[FunctionType, str]:
    names: list[str] = []
    for name in scope.split("."):
        names.append(name)
        if name not in vars(holder):
            break
        holder = vars(holder)[name]
        for inner in ("fget", "func", "__func__", "__wrapped__"):
            holder = getattr(holder, inner, holder) if not isinstance(holder, type) else holder
        if isinstance(holder, FunctionType):
            return holder, ".".join(names)
    raise LookupError(f"{scope} is no function")


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)
