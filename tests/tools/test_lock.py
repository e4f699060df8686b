# SPDX-License-Identifier: Apache-2.0
"""The lock file has a version for all that the project needs, and each version is one that is allowed."""

from __future__ import annotations

from types import ModuleType

import pytest
import yaml
from tests.scripts import script

from modeloom.version import VERSION


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return script("tools/lock.py")


@pytest.fixture(scope="module")
def locked(tool: ModuleType) -> dict[str, str]:
    return tool.read_lock(tool.LOCK.read_text(encoding="utf-8"))


def unmet(tool: ModuleType, versions: dict[str, str]) -> list[str]:
    """The requirements, of the project and of all packages that it leads to, that versions do not meet."""
    return [
        f"{name}: {one}" for name, requirements in tool.closure(tool.declared()).items() for one in requirements
        if name not in versions or not one.specifier.contains(versions[name], prereleases=True)
    ]  # fmt: skip


def test_every_requirement_is_met(tool: ModuleType, locked: dict[str, str]) -> None:
    assert unmet(tool, locked) == []


def test_what_is_installed_meets_every_requirement(tool: ModuleType) -> None:
    assert unmet(tool, {name: tool.installed(name) or "0" for name in tool.closure(tool.declared())}) == []


def test_nothing_else_is_locked(tool: ModuleType, locked: dict[str, str]) -> None:
    """The file has what is needed on this Python, and a package of another version may need more or less."""
    more = locked.keys() - tool.closure(tool.declared()).keys()
    assert not more or tool.differences(locked), more


@pytest.mark.parametrize("name, version", [("amaranth", "0.6.1"), ("amaranth", None), ("markupsafe", None)])
def test_a_version_that_is_not_allowed_shows(tool: ModuleType, locked: dict[str, str], name: str, version: str | None) -> None:
    others = {key: value for key, value in locked.items() if key != name} | ({name: version} if version else {})
    assert [line.partition(":")[0] for line in unmet(tool, others)][:1] == [name]


def test_the_file_is_what_the_tool_writes(tool: ModuleType, locked: dict[str, str], tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(tool, "LOCK", tmp_path / "lock")
    assert tool.main([]) == 0
    here = tool.read_lock((tmp_path / "lock").read_text())
    assert tool.main(["--check"]) == 0 and here.keys() == tool.closure(tool.declared()).keys()
    (tmp_path / "lock").write_text(tool.text_of({**here, "amaranth": "0.5.8"}))
    assert tool.main(["--check"]) == 1
    assert "amaranth: 0.5.8 in the file" in capsys.readouterr().out
    for wrong in ("amaranth>=0.5", "Amaranth==0.5.9", "amaranth=="):
        with pytest.raises(ValueError, match="not NAME==VERSION"):
            tool.read_lock(wrong)


def test_the_citation_has_the_version_and_the_licence(tool: ModuleType) -> None:
    citation = yaml.safe_load((tool.ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == VERSION and citation["license"] == "Apache-2.0" and citation["type"] == "software"
    assert {"cff-version", "message", "title", "authors"} <= citation.keys() and citation["authors"][0]["name"]
