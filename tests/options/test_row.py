# SPDX-License-Identifier: Apache-2.0
"""Rows of options: what a row says is checked, named and stored, and no row names a choice that there is not."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from modeloom.options.messages import KEYS, StreamOptions
from modeloom.options.row import Choices, Terms, option, row
from modeloom.options.sectors import Options
from modeloom.options.spelled import read, spelled
from modeloom.spec import InputError, UnknownName


@dataclass(frozen=True, kw_only=True)
class Cups(Choices):
    """Options of no core."""

    size: int = row(2, "size", least=1, most=9, unit="ounces", within={"--kind tea": (1, 4)}, word="s{}", older="volume")
    kind: str = row("coffee", "kind", noun="drink", values={
        "coffee": Terms(), "tea": Terms(apart={"--milk": "it is green"}, never={"closed": ", which is closed"}),
        "soup": Terms(only={"kitchen": "rooms with a kitchen"}, plan={"full": ", which is full"}),
    }, word="{}")  # fmt: skip
    milk: int | None = row(None, "milk", terms=Terms(direction={"encrypt": "pour"}), free=(0,), sparse=True)
    sugar: int | None = row(None, "sugar", terms=Terms(needs="--kind tea"))
    direction: str = row("both", values=("both", "encrypt", "decrypt"), noun="direction")
    more: tuple[int, ...] = row(())

    def __post_init__(self) -> None:
        self.check()

    @property
    def directions(self) -> tuple[str, ...]:
        return ("encrypt", "decrypt") if self.direction == "both" else (self.direction,)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"size": 0}, "--size must be from 1 to 9 ounces, not 0"), ({"size": 10}, "--size must be from 1 to 9 ounces, not 10"),
        ({"size": 5, "kind": "tea"}, "--size must be from 1 to 4 ounces with --kind tea, not 5"),
        ({"kind": "teas"}, "unknown drink 'teas'; did you mean tea?"),
    ],
)  # fmt: skip
def test_values(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        Cups(**values)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize("values", [{"size": "2"}, {"size": True}, {"size": None}, {"kind": 3}, {"milk": 1.0}, {"more": [1, "2"]}])
def test_types(values: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="must be"):
        Cups(**values)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"kind": "tea", "milk": 1}, "--kind tea and --milk cannot be combined: it is green; leave out one of them"),
        ({"sugar": 1}, "--sugar is for --kind tea; leave it out"),
        ({"milk": 1, "direction": "decrypt"}, "--milk is for cores that pour; leave it out"),
    ],
)  # fmt: skip
def test_what_does_not_go_together(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}$"):
        Cups(**values).check_together()


def test_what_goes_together() -> None:
    Cups(kind="tea", milk=0, sugar=1).check_together()
    Cups(milk=1, direction="encrypt").check_together()
    assert Cups.pairs() == {("--kind tea", "--milk"): "it is green"}


def test_modes() -> None:
    kitchen = SimpleNamespace(name="hall", kitchen=lambda: True, closed=False, full=True)
    Cups(kind="soup").check_mode(kitchen)
    with pytest.raises(InputError, match="^--kind soup is not for hall, which is full; leave it out$"):
        Cups(kind="soup").check_plan(SimpleNamespace(mode=kitchen, full=True))
    with pytest.raises(InputError, match="^--kind soup is for rooms with a kitchen, unlike cell; leave it out$"):
        Cups(kind="soup").check_mode(SimpleNamespace(name="cell", kitchen=False))
    with pytest.raises(InputError, match="^--kind tea is not for cell, which is closed; leave it out$"):
        Cups(kind="tea").check_mode(SimpleNamespace(name="cell", closed=True))


def test_names_and_files() -> None:
    assert list(Cups(size=3, kind="tea", sugar=2).words(Cups())) == ["s3", "tea", "sugar2"]
    assert list(Cups(size=3, kind="tea").words(Cups(), ("kind",), size="of{}")) == ["tea", "of3"]
    assert Cups(more=(1, 2)).as_dict() == {"size": 2, "kind": "coffee", "sugar": None, "direction": "both", "more": [1, 2]}
    assert Cups(milk=3).as_dict()["milk"] == 3 and Cups.today({"volume": 3}) == {"size": 3}
    with pytest.raises(TypeError, match="volume is an older name of size"):
        Cups.today({"volume": 3, "size": 3})
    with pytest.raises(UnknownName, match="unknown option 'sise'; did you mean size"):
        Cups().but(sise=1)


@pytest.mark.parametrize("kind", [Options, StreamOptions])
def test_rows_name_choices_that_there_are(kind: type[Choices]) -> None:
    """A choice in a row is an option, with one of its values."""
    named = []
    for one in kind.rows().values():
        for terms in (one.terms, *one.values.values()):
            named += [*terms.apart, *([terms.needs] if terms.needs else [])]
        named += one.within
    for choice in named:
        spelling, _, value = choice.partition(" ")
        found = kind.rows()[spelling.removeprefix("--").replace("-", "_")]
        assert not value or value in found.values, choice


def test_every_option_has_a_word_of_help() -> None:
    for kind in (Options, StreamOptions):
        for name, one in kind.rows().items():
            assert one.about or name in spelled() or name in ("more_sectors", "more_key_bits", "registered", "restarts")
    assert all(one.about.endswith(".") for one in spelled().values())


def test_texts() -> None:
    options = spelled()
    assert read(options["sector"], "512,64") == (512, 64) and read(options["sector"], 512) == (512,)
    assert read(options["key_bits"], "all") == "all" and read(options["key_bits"], "256") == 256
    assert read(options["keys"], "inline") == "inline"
    for name in ("sector", "mul"):
        with pytest.raises(ValueError, match="'?x'? is not"):
            read(options[name], "x")
    assert options["cipher_cores"].spellings == ("--cipher-cores", "--aes") and option("a_b") == "--a-b"


@pytest.mark.parametrize("name", KEYS)
def test_key_schedules_of_each_source_of_keys(name: str) -> None:
    """Where each message has the next key, a pipeline with an iterative key schedule has two of them, and a port for each."""
    source, in_order = KEYS[name], name in ("inline", "derived")
    assert [source.usual_schedule(iterates, pipelined) for iterates, pipelined in ((True, True), (True, False), (False, True))] == [
        "iterative" if in_order else "word", "word", "word",
    ]  # fmt: skip
    assert (source.most_schedules("word", True), source.most_schedules("iterative", True)) == (1, 2 if in_order else 1)
    assert (source.writers("word", 1), source.writers("iterative", 2), source.writers(None, None)) == (0, 2 if in_order else 0, 0)
    assert source.in_order == in_order
