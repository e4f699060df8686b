# SPDX-License-Identifier: Apache-2.0
"""Copies of the project in which sources are changed: one for each process that runs tests."""

from __future__ import annotations

import compileall
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["Tree", "tests_of"]

_LEFT = shutil.ignore_patterns(".git", ".venv", "build", "*.egg-info", ".pytest_cache", ".ruff_cache", ".mypy_cache")


class Tree:
    """A copy of a project with ``src`` and ``tests``.

    Parameters
    ----------
    project : Path
        Root of the project.
    root : Path
        Where the copy lies; an older one is replaced.
    """

    def __init__(self, project: Path, root: Path):
        self.root = root
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(project, root, ignore=_LEFT, symlinks=True)
        # Tests run without writing byte code, so that none of a mutant is left behind.
        for folder in ("src", "tests"):
            compileall.compile_dir(root / folder, quiet=2)

    def environment(self) -> dict[str, str]:
        """Variables for a process that runs tests: whatever it starts sees the copy, too."""
        path = os.pathsep.join([str(self.root / "src"), str(self.root)])
        return {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}

    @contextmanager
    def changed(self, file: str, text: str) -> Iterator[None]:
        """The copy with another text of a file of ``src``."""
        path = self.root / "src" / file
        before, stamp = path.read_bytes(), path.stat()
        path.write_text(text, encoding="utf-8")
        # Byte code is taken for current by second and size.
        os.utime(path, (stamp.st_mtime + 7, stamp.st_mtime + 7))
        try:
            yield
        finally:
            path.write_bytes(before)
            os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))


def tests_of(root: Path) -> list[str]:
    """All test files of a project, as paths below its root."""
    return sorted(str(path.relative_to(root)) for path in (root / "tests").rglob("test_*.py"))
