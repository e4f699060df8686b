# SPDX-License-Identifier: Apache-2.0
"""Allows only one build into a folder at a time.

::

    PARENT/.NAME.modeloom-lock     exists and is locked while a core is built into PARENT/NAME
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from modeloom.spec import InputError

__all__ = ["building"]


@contextmanager
def building(directory: str | Path) -> Iterator[None]:
    """Locks a folder against other builds, in other processes and in this one.  The parent folder is created if necessary.

    The lock ends with the process that holds it.  A process that is killed leaves an empty file, which the next build uses.

    Raises
    ------
    InputError
        If a core is being built into the folder, or the folder above it cannot be written.
    """
    target = Path(directory).absolute()
    path = target.parent / f".{target.name}.modeloom-lock"
    made = [folder for folder in (target.parent, *target.parent.parents) if not folder.exists()]
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle = _locked(path)
    except OSError as error:
        raise InputError(f"{directory} cannot be written: {error.strerror or error}") from None
    if handle is None:
        raise InputError(f"another build is writing into {directory}; wait for it, or choose another folder")
    try:
        yield
    finally:
        # The file is removed while it is still locked, so a file that another process has locked is never removed.
        path.unlink(missing_ok=True)
        os.close(handle)
        for folder in made if not target.exists() else ():
            try:
                folder.rmdir()
            except OSError:
                break


def _locked(path: Path) -> int | None:
    """The open file with this name, locked by this call; None if it is already locked."""
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            return None
        except BaseException:
            os.close(handle)
            raise
        # The previous holder may have removed the file after it was opened here.
        if path.exists() and os.path.samestat(os.stat(path), os.fstat(handle)):
            return handle
        os.close(handle)
