# SPDX-License-Identifier: Apache-2.0
"""FAT images with pyfatfs: made with files in them, and read again."""

from __future__ import annotations

import warnings
from pathlib import Path

warnings.filterwarnings("ignore", category=UserWarning, module="fs")
warnings.filterwarnings("ignore", category=DeprecationWarning)

from pyfatfs.PyFat import PyFat  # noqa: E402
from pyfatfs.PyFatFS import PyFatFS  # noqa: E402

__all__ = ["make_image", "read_files"]


def make_image(path: Path, size: int, files: dict[str, bytes]) -> None:
    """A new FAT12 image of ``size`` bytes with files by their paths."""
    path.write_bytes(b"")
    fat = PyFat()
    fat.mkfs(str(path), fat_type=PyFat.FAT_TYPE_FAT12, size=size, label="MODELOOM")
    fat.close()
    with PyFatFS(str(path)) as system:
        for name, data in files.items():
            system.makedirs(name.rsplit("/", 1)[0] or "/", recreate=True)
            system.writebytes(name, data)


def read_files(path: Path) -> dict[str, bytes]:
    """All files of an image by their paths."""
    with PyFatFS(str(path), read_only=True) as system:
        return {name: system.readbytes(name) for name in system.walk.files("/")}
