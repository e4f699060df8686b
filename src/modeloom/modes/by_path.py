# SPDX-License-Identifier: Apache-2.0
"""Modes in files outside the project: ``./mymode.py:MyMode``."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from pathlib import Path

from modeloom.spec import InputError, Mode, UnknownName

__all__ = ["load"]


def load(place: str) -> Mode:
    """The mode that ``FILE.py:CLASS`` names; its ``place`` keeps these words, so that a core built from it can be checked again.

    The file is run as a module of its own; other modules are imported from where Python finds them, not from its folder.

    Raises
    ------
    InputError
        No such file, a file that Python cannot run, or a class that is no ``Mode`` or lacks a name.
    UnknownName
        No such class in it.
    """
    path, _, name = place.rpartition(":")
    file = Path(path)
    if file.suffix != ".py" or not file.is_file():
        raise InputError(f"{place}: there is no Python file {path}; a mode outside the project is given as FILE.py:CLASS")
    unique = "modeloom_mode_" + hashlib.sha256(str(file.resolve()).encode()).hexdigest()[:16]
    specification = importlib.util.spec_from_file_location(unique, file)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[unique] = module
    try:
        specification.loader.exec_module(module)
    except Exception as error:
        del sys.modules[unique]
        line = getattr(error, "lineno", None) or _line(error, file)
        raise InputError(f"{path}{f', line {line}' if line else ''}: {type(error).__name__}: {error}") from error
    modes = {
        key: value for key, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Mode) and value.__module__ == unique
    }  # fmt: skip
    if name not in modes:
        if not modes:
            raise InputError(f"{path} defines no mode: a mode is a subclass of modeloom.spec.Mode")
        raise UnknownName(f"mode in {path}", name, modes)
    missing = [word for word in ("name", "title", "source", "security") if not hasattr(modes[name], word)]
    if missing:
        raise InputError(f"{path}: {name} has no {missing[0]}; docs/new-mode.md tells what a mode says of itself")
    mode = modes[name]()
    mode.place = place
    return mode


def _line(error: BaseException, file: Path) -> int | None:
    """Line of the file in which an exception arose."""
    line, trace = None, error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename == str(file):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
