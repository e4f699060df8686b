# SPDX-License-Identifier: Apache-2.0
"""Puts measured contents into the page of a folder, and renews the hashes that name the page.

::

    datasheet.html ──▶ core.json: sha256 ──▶ bill of materials ──▶ SHA256SUMS

All other files stay as they are.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from modeloom.emit.html.measured import Measured, with_measured
from modeloom.emit.lock import building
from modeloom.emit.package import bill_of_materials, manifest, to_json
from modeloom.product.description import Description
from modeloom.product.folder import read_description
from modeloom.spec import InputError

__all__ = ["check_page", "complete"]


def check_page(directory: str | Path) -> Description:
    """The description of a folder whose page can be completed.

    Raises ``InputError`` if it holds no core, no page, or files that are not those of the build: what is measured of them would not
    belong to the page.
    """
    folder = Path(directory)
    description = read_description(folder)
    page = description.files.html
    if page is None:
        raise InputError(f"{directory} has no HTML datasheet: an older version built the core; build it again")
    if description.sha256 is None:
        raise InputError(f"{directory}/core.json has no hashes; build the core again")
    for file in (page, description.files.verilog):
        path = folder / file
        if not path.is_file() or _hash(path.read_bytes()) != description.sha256.get(file):
            raise InputError(f"{path} is not the file of the build; build the core again")
    return description


def complete(directory: str | Path, measured: Measured) -> Path:
    """Writes the page with these contents, and returns its path below ``directory``.

    Each file is replaced as a whole.  Raises ``InputError`` as ``check_page`` does, and if a build is writing into the folder.
    """
    folder = Path(directory).absolute()
    with building(folder):
        description = check_page(directory)
        assert description.sha256 is not None and description.files.html is not None
        page = folder / description.files.html
        text = with_measured(page.read_text(encoding="utf-8"), measured)
        try:
            _write(folder, renewed(description, {page.name: text}))
        except OSError as error:
            raise InputError(f"{directory} cannot be written: {error.strerror or error}") from None
    return Path(directory) / page.name


def renewed(description: Description, texts: Mapping[str, str]) -> dict[str, str]:
    """Files with other texts, and the files with their hashes."""
    assert description.sha256 is not None
    files = description.files
    made = dict(texts)
    hashes = {**description.sha256, **{file: _hash(text.encode()) for file, text in texts.items()}}
    if files.materials is not None:
        made[files.materials] = bill_of_materials(description, {file: value for file, value in hashes.items() if file != files.materials})
        hashes[files.materials] = _hash(made[files.materials].encode())
    made[files.description] = to_json(replace(description, sha256=hashes).as_json())
    if files.manifest is not None:
        made[files.manifest] = manifest({**hashes, files.description: _hash(made[files.description].encode())})
    return made


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _write(folder: Path, texts: Mapping[str, str]) -> None:
    """Replaces files: all are written under other names before the first one gets its name."""
    with tempfile.TemporaryDirectory(prefix=".datasheet-", dir=folder) as work:
        for file, text in texts.items():
            path = Path(work) / file
            path.write_text(text, encoding="utf-8")
            path.chmod((folder / file).stat().st_mode & 0o777)
        for file in texts:
            os.replace(Path(work) / file, folder / file)
