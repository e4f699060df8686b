#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The versions of all packages of the environment in which tests passed, as constraints for pip.

::

    python tools/lock.py            # writes requirements.lock from what is installed here, after the tests have passed
    python tools/lock.py --check    # exit status 1, and a line for each package here that has another version or is missing
    make setup LOCK=requirements.lock

The file has what ``make setup`` installs, and all that these packages need.
"""

from __future__ import annotations

import argparse
import platform
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements.lock"
EXTRAS = ("test", "demo", "site")
"""The extras that ``make setup`` installs."""


def declared() -> list[Requirement]:
    """The requirements of the project and of these extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [*project["dependencies"], *(line for extra in EXTRAS for line in project["optional-dependencies"][extra])]
    return [Requirement(line) for line in lines]


def needed(requirement: Requirement) -> Iterator[Requirement]:
    """What an installed package needs here, with the extras of the requirement.  Nothing if it is not installed."""
    try:
        lines = metadata.requires(requirement.name) or []
    except metadata.PackageNotFoundError:
        return
    for line in lines:
        one = Requirement(line)
        if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in (*requirement.extras, "")):
            yield one


def closure(requirements: Iterable[Requirement]) -> dict[str, list[Requirement]]:
    """All packages that requirements lead to, by name, each with the requirements that name it."""
    found: dict[str, list[Requirement]] = {}
    waiting = list(requirements)
    while waiting:
        one = waiting.pop()
        before = found.setdefault(canonicalize_name(one.name), [])
        if not any(str(one) == str(other) for other in before):
            before.append(one)
            waiting += needed(one)
    return found


def installed(name: str) -> str | None:
    """The version of a package here; None if it is not installed."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def read_lock(text: str) -> dict[str, str]:
    """The versions by the names of packages.  Raises ``ValueError`` if a line has another form."""
    versions = {}
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        name, mark, version = line.partition("==")
        if not mark or name != canonicalize_name(name) or not version:
            raise ValueError(f"not NAME==VERSION: {line}")
        versions[name] = version
    return versions


def text_of(versions: dict[str, str]) -> str:
    """The text of the file."""
    head = [
        "# SPDX-License-Identifier: Apache-2.0",
        f"# The packages with which the tests passed, on Python {platform.python_version()}. tools/lock.py writes this file.",
        "# Use it with: make setup LOCK=requirements.lock",
    ]
    return "\n".join([*head, *(f"{name}=={version}" for name, version in sorted(versions.items()))]) + "\n"


def differences(versions: dict[str, str]) -> list[str]:
    """A line for each package that is here in another version, or not at all."""
    return [f"{name}: {version} in the file, {installed(name) or 'not installed'} here" for name, version in sorted(versions.items())
            if installed(name) != version]  # fmt: skip


def main(argv: list[str] | None = None) -> int:
    """Writes or compares; the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare what is installed with the file")
    options = parser.parse_args(argv)
    if options.check:
        lines = differences(read_lock(LOCK.read_text(encoding="utf-8")))
        print("\n".join(lines) if lines else "everything is here in the versions of the file")
        return 1 if lines else 0
    versions = {name: installed(name) for name in closure(declared())}
    if missing := [name for name, version in versions.items() if version is None]:
        print(f"tools/lock.py: not installed: {', '.join(missing)}; run make setup", file=sys.stderr)
        return 2
    LOCK.write_text(text_of({name: version for name, version in versions.items() if version}), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
