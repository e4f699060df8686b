# SPDX-License-Identifier: Apache-2.0
"""Output files appear whole or not at all."""

import pytest

from modeloom.cli.files import check_output, columns, whole_file
from modeloom.spec import InputError


def test_nothing_shows_before_the_end(tmp_path):
    target = tmp_path / "file"
    target.write_bytes(b"old")
    with whole_file(target) as file:
        file.write(b"new")
        file.flush()
        assert target.read_bytes() == b"old"
    assert target.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [target]


def test_nothing_is_left_by_an_error(tmp_path):
    with pytest.raises(ZeroDivisionError), whole_file(tmp_path / "file") as file:
        file.write(b"half")
        raise ZeroDivisionError
    assert not list(tmp_path.iterdir())


def test_outputs_that_are_refused(tmp_path):
    source = tmp_path / "file"
    source.write_bytes(b"")
    (tmp_path / "same").hardlink_to(source)
    check_output(tmp_path / "new", source)
    for target in (tmp_path, tmp_path / "none" / "file", source, tmp_path / "same"):
        with pytest.raises(InputError):
            check_output(target, source)


def test_columns():
    assert columns([("a", "bb", "c"), ("aaa", "b", "")]) == "a    bb  c\naaa  b\n"
