# SPDX-License-Identifier: Apache-2.0
"""Modes in files outside the project: ``./mymode.py:MyMode``."""

from __future__ import annotations

import copy
import hashlib
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from modeloom.spec import InputError, Mode, UnknownName, checked_mode
from modeloom.spec.attributes import checked_stream
from modeloom.spec.importable import importable
from modeloom.spec.stream import StreamMode

__all__ = ["load", "seen_from"]


M = TypeVar("M", Mode, StreamMode)


def load(place: str, folder: str | Path = "") -> Mode | StreamMode:
    """Loads the mode that ``FILE.py:CLASS`` names.  Its ``place`` keeps this text, so that a core built from it can be checked again.

    The file runs as a module of its own.  It may import the modules beside it.

    Parameters
    ----------
    folder : path
        Where a relative path of FILE.py starts: the current folder, or that of a core.

    Raises
    ------
    InputError
        There is no such file, Python cannot run it, the name is not a class, or the class is not a ``Mode`` or has no name.
    UnknownName
        The file has no such class.
    """
    path, _, name = place.rpartition(":")
    file = Path(folder, path)
    if file.suffix != ".py" or not file.is_file():
        where = f" in {folder}" if folder and not Path(path).is_absolute() else ""
        raise InputError(f"{place}: there is no Python file {path}{where}; a mode outside the project is given as FILE.py:CLASS")
    module = _run(file, path)
    modes = {
        key: value for key, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, (Mode, StreamMode)) and value.__module__ == module.__name__
    }  # fmt: skip
    # A mode that the file has imported is meant if it is named.
    named = modes.get(name, vars(module).get(name))
    if isinstance(named, (Mode, StreamMode)):
        raise InputError(f"{path}: {name} is an instance of {type(named).__name__}; name the class: {path}:{type(named).__name__}")
    if not (isinstance(named, type) and issubclass(named, (Mode, StreamMode))):
        if named is not None:
            what = "a class" if isinstance(named, type) else "a function" if callable(named) else f"of type {type(named).__name__}"
            raise InputError(f"{path}: {name} is {what} and not a mode; name a subclass of modeloom.spec.Mode")
        if not modes:
            raise InputError(f"{path} defines no mode: a mode is a subclass of modeloom.spec.Mode")
        raise UnknownName(f"mode in {path}", name, modes)
    mode = checked_stream(named) if issubclass(named, StreamMode) else checked_mode(named)
    mode.place, mode.folder = place, str(file.resolve().parent)
    return mode


def seen_from(mode: M, folder: str | Path) -> M:
    """Makes the ``place`` of a mode relative to a folder.  A mode that was not given as FILE.py:CLASS is returned unchanged."""
    if not mode.place:
        return mode
    result = copy.copy(mode)
    path, _, name = mode.place.rpartition(":")
    result.place = f"{Path(os.path.relpath(Path(mode.folder, Path(path).name), Path(folder).resolve())).as_posix()}:{name}"
    return result


def _run(file: Path, path: str) -> ModuleType:
    """Runs a file as a module."""
    whole = file.resolve()
    unique = "modeloom_mode_" + hashlib.sha256(str(whole).encode()).hexdigest()[:16]
    specification = importlib.util.spec_from_file_location(unique, file)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[unique] = module
    try:
        with importable(str(whole.parent), fresh=True):
            specification.loader.exec_module(module)
    except Exception as error:
        del sys.modules[unique]
        line = (error.lineno if isinstance(error, SyntaxError) else None) or _line(error, file)
        other = Path(error.filename) if isinstance(error, SyntaxError) and error.filename else file
        where = path if other.resolve() == whole else other.name
        text = str(error.msg) if isinstance(error, SyntaxError) else str(error)
        kind = "" if isinstance(error, InputError) else f"{type(error).__name__}: "
        raise InputError(f"{where}{f', line {line}' if line else ''}: {kind}{' '.join(text.split())}".rstrip(": ")) from error
    except SystemExit as error:
        del sys.modules[unique]
        line = _line(error, file)
        raise InputError(f"{path}{f', line {line}' if line else ''}: the file ends the program; it must only define modes") from error
    return module


def _line(error: BaseException, file: Path) -> int | None:
    """Line of the file where an exception arose."""
    line, trace = None, error.__traceback__
    while trace:
        if Path(trace.tb_frame.f_code.co_filename).resolve() == file.resolve():
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
