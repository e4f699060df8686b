# SPDX-License-Identifier: Apache-2.0
"""A hook of MkDocs for links out of docs/, to sources and to the pages at the root of the project.

In a checkout such a link leads to the file.  The site does not have this file.  There, the link leads to the file in the repository if
pyproject.toml has its address (``project.urls``, ``Repository``).  Without an address, the path of the file stands beside the text as code.
A link to a file that does not exist stays as it is, and ``mkdocs build --strict`` refuses it.
"""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((\.\./[^)#\s]+)(#[^)\s]*)?\)")
"""A link to a file above the page: text, path, place in the file."""

FENCED = re.compile(r"(^ *```.*?^ *```[^\n]*$)", re.DOTALL | re.MULTILINE)
"""A block of code, in which nothing is a link."""


def repository() -> str | None:
    """The address of the repository in pyproject.toml, if it has one."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    address: str | None = project.get("urls", {}).get("Repository")
    return address


def rewritten(text: str, page: Path, address: str | None) -> str:
    """The Markdown of a page in docs/ for the site.  ``page`` is its path from the root of the project."""

    def outward(match: re.Match[str]) -> str:
        label, target, place = match[1], match[2], match[3] or ""
        path = Path(os.path.normpath(page.parent / target))
        if path.parts[0] in ("docs", "..") or not (ROOT / path).exists():
            return match[0]
        if address:
            return f"[{label}]({address.rstrip('/')}/blob/main/{path}{place})"
        return label if label.strip("`") == str(path) else f"{label} (`{path}`)"

    parts = FENCED.split(text)
    return "".join(part if number % 2 else LINK.sub(outward, part) for number, part in enumerate(parts))


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """What MkDocs calls for every page."""
    return rewritten(markdown, Path("docs") / page.file.src_uri, repository())
