# SPDX-License-Identifier: Apache-2.0
"""The hashes of all files, in the format of ``sha256sum``."""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["manifest", "read_manifest"]


def manifest(hashes: Mapping[str, str]) -> str:
    """The text for ``sha256sum --check``, from the hashes of files by their names."""
    return "".join(f"{value}  {file}\n" for file, value in sorted(hashes.items()))


def read_manifest(text: str) -> dict[str, str]:
    """The hashes by the names of files.  Raises ``ValueError`` if a line has another form."""
    found = {}
    for line in text.splitlines():
        match = re.fullmatch(r"([0-9a-f]{64})  ([^/]+)", line)
        if match is None:
            raise ValueError(f"not a line of sha256sum: {line[:40]}")
        found[match[2]] = match[1]
    return found
