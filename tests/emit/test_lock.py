# SPDX-License-Identifier: Apache-2.0
"""One build at a time into a folder; nothing is left of the lock, and a killed build does not keep it."""

import threading
import time

import pytest

from modeloom.emit import building
from modeloom.spec import InputError


def test_the_second_build_is_refused(tmp_path):
    with building(tmp_path / "core"):
        for other in (tmp_path / "core", str(tmp_path / "." / "core")):
            with pytest.raises(InputError, match="another build is writing into .*core; wait for it, or choose another folder"):
                with building(other):
                    raise AssertionError
        with building(tmp_path / "other"):
            pass
    with building(tmp_path / "core"):
        pass
    assert not list(tmp_path.iterdir())


def test_many_at_once(tmp_path):
    """Whoever gets in is alone, whoever does not gets the error, and the lock is removed under the feet of those that wait."""
    inside, most, entered, refused = [], [], [], []
    start = threading.Barrier(8)

    def build(number):
        start.wait()
        for _ in range(200):
            try:
                with building(tmp_path / "core"):
                    inside.append(number)
                    most.append(len(inside))
                    time.sleep(0)
                    inside.remove(number)
                    entered.append(number)
            except InputError:
                refused.append(number)

    threads = [threading.Thread(target=build, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(most) == {1} and len(entered) + len(refused) == 1600 and refused
    assert not list(tmp_path.iterdir())


def test_the_file_of_a_killed_build_is_taken(tmp_path):
    (tmp_path / ".core.modeloom-lock").touch()
    with building(tmp_path / "core"):
        pass
    assert not list(tmp_path.iterdir())


def test_folders_above_are_made_and_go_again_if_nothing_was_built(tmp_path):
    with pytest.raises(KeyError), building(tmp_path / "a" / "b" / "core"):
        assert (tmp_path / "a" / "b").is_dir()
        raise KeyError
    assert not list(tmp_path.iterdir())
    with building(tmp_path / "a" / "core"):
        (tmp_path / "a" / "core").mkdir()
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["core"]
