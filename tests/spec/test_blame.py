# SPDX-License-Identifier: Apache-2.0
"""Whose code an error is in, and modules from beside a definition."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from modeloom.spec.errors import DefinitionError, InputError, blame, is_users, place_of
from modeloom.spec.importable import importable


def here(offset: int = 0) -> int:
    return sys._getframe(1).f_lineno + offset


@pytest.mark.parametrize(
    ("module", "users"),
    [
        ("modeloom.modes.xts", True), ("modeloom.modes", False), ("modeloom", False), ("modeloom.spec.mode", False),
        ("my_mode", True), ("modeloom_of_mine", True), ("", True),
    ],
)  # fmt: skip
def test_whose_modules(module: str, users: bool) -> None:
    assert is_users(module) == users


def test_the_innermost_line_of_the_user_is_blamed_not_that_of_a_library() -> None:
    with pytest.raises(DefinitionError) as caught:
        with blame("mine"):
            line = here(1)
            json.loads("{")
    assert str(caught.value).startswith(f"mine: {Path(__file__).name}, line {line}: JSONDecodeError: ") and caught.value.placed


def test_errors_that_name_their_place_go_through() -> None:
    for error in (InputError("wrong"), DefinitionError("a.py, line 3: wrong", placed=True)):
        with pytest.raises(InputError) as caught:
            with blame("mine"):
                raise error
        assert caught.value is error
    with pytest.raises(DefinitionError) as caught:
        with blame("mine"):
            line = here(1)
            raise DefinitionError("mine: wrong")
    assert str(caught.value) == f"mine: {Path(__file__).name}, line {line}: wrong" and caught.value.placed


def test_places_of_functions() -> None:
    assert place_of(here) == f"{Path(__file__).name}, line {here.__code__.co_firstlineno}"
    assert place_of(None) == "" and place_of(json.JSONDecoder) == "decoder.py"


def test_modules_of_the_same_name_are_back_afterwards(tmp_path: Path) -> None:
    (tmp_path / "beside_helper.py").write_text("VALUE = 5\n")
    other, below = ModuleType("beside_helper"), ModuleType("beside_helper.below")
    sys.modules.update({"beside_helper": other, "beside_helper.below": below})
    before = list(sys.path)
    try:
        for _ in range(2):
            with importable(str(tmp_path)):
                assert "beside_helper.below" not in sys.modules
                assert importlib.import_module("beside_helper").VALUE == 5
                assert sys.path[0] == str(tmp_path)
            assert sys.modules["beside_helper"] is other and sys.modules["beside_helper.below"] is below
            assert sys.path == before
    finally:
        del sys.modules["beside_helper"], sys.modules["beside_helper.below"]


@pytest.mark.parametrize("written", ["with_path", "without_path", "no_folder"])
def test_nothing_happens_for_a_folder_in_which_python_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: str) -> None:
    """What is imported from there stays imported, and so it does where there is no folder: the working one is not meant."""
    name = f"looked_for_{written}"
    (tmp_path / f"{name}.py").write_text("VALUE = 7\n")
    monkeypatch.chdir(tmp_path)
    if written != "without_path":
        monkeypatch.syspath_prepend(str(tmp_path))
    before = list(sys.path)
    folder = "" if written == "no_folder" else str(tmp_path)
    try:
        with importable(folder):
            assert len(sys.path) == len(before) + (written == "without_path")
            assert importlib.import_module(name).VALUE == 7
        assert sys.path == before and (name in sys.modules) == (written != "without_path")
    finally:
        sys.modules.pop(name, None)


def test_a_folder_that_is_gone_has_no_modules(tmp_path: Path) -> None:
    before = list(sys.path)
    with importable(str(tmp_path / "gone")):
        assert sys.path == before


def test_an_error_that_no_user_has_made_stays_what_it_is() -> None:
    """Code of this package that calls a function of Python's own, which belongs to no module and has no lines."""
    code = compile("with blame('mine', function):\n    function(3)\n", "<of this package>", "exec")
    join = "".join
    assert join.__module__ is None and place_of(join) == ""
    with pytest.raises(TypeError, match="can only join an iterable"):
        exec(code, {"__name__": "modeloom.compiler.compile", "blame": blame, "function": join})
