# SPDX-License-Identifier: Apache-2.0
"""Each condition of the checker of programs on units, banks, networks and words by themselves: a fault that it alone finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, replace
from functools import cache
from typing import Any

import pytest
from tests.prove.mutate import copy_program

from modeloom.allocate.check import CheckError, check_program
from modeloom.allocate.program import ChainRegister, Program, Source
from modeloom.compiler.compile import Compiled, compile_mode
from modeloom.modes.heh import HEH
from modeloom.options.sectors import Options

Plant = Callable[[Program], None]


@cache
def made() -> Compiled:
    """Two pipelines, so that there are two lanes; with chains, and words that set-up computes."""
    return compile_mode(HEH(), Options(sector=128, tweak=16, cipher_cores=2, restarts=0), prove=False)


def check(program: Program) -> None:
    units = made().units
    check_program(program, out_delay=units.unit("out").latency, key_delay=units.key_delay)


def unit(**changes: Any) -> Plant:
    def plant(p: Program) -> None:
        p.units[0] = replace(p.units[0], **changes)

    return plant


def timing(post_at: int, latency: int) -> Plant:
    return unit(post_at=post_at, latency=latency)


def bank(name: str, /, **changes: Any) -> Plant:
    def plant(p: Program) -> None:
        p.banks[name] = replace(p.banks[name], **changes)

    return plant


def whole(**changes: Any) -> Plant:
    def plant(p: Program) -> None:
        for name, value in changes.items():
            setattr(p, name, value(p) if callable(value) else value)

    return plant


def source(*fields: Any, net: str = "mul0.a", **named: Any) -> Plant:
    def plant(p: Program) -> None:
        values = {name: value(p) if callable(value) else value for name, value in named.items()}
        p.nets[net] = replace(p.nets[net], sources=[*p.nets[net].sources, Source(*fields, **values)])

    return plant


def chain(*numbers: int, stride: int = 1) -> Plant:
    def plant(p: Program) -> None:
        p.chains.extend(ChainRegister(number, stride) for number in numbers)

    return plant


def rename(part: str, old: str, new: str) -> Plant:
    """A bank or network under another name than its own."""

    def plant(p: Program) -> None:
        table = getattr(p, part)
        table[new] = table[old]

    return plant


WORDS = "a word that must not be 0 or holds a cipher key does not exist, or the host loads no cipher key"
ORDER = "the key words are not different ones, the host's first"

FAULTS: list[tuple[Plant, str]] = [
    (lambda p: p.units.append(p.units[0]), "two units have one name"),
    (timing(-1, 0), "its result comes 0 cycles, the sum -1"),
    (timing(5, 4), "its result comes 4 cycles, the sum 5"),
    (timing(5, 7), "its result comes 7 cycles, the sum 5"),
    (unit(interval=0), "it has no core or no interval"),
    (unit(cores=()), "it has no core or no interval"),
    (unit(slow_core="dec", slow_interval=0), "it has no core or no interval"),
    (whole(nonzero=lambda p: [len(p.key_words)]), WORDS),
    (whole(nonzero=[-1]), WORDS),
    (whole(derived=lambda p: [(0, len(p.key_words))], cipher_keys=["k", "d"]), WORDS),
    (whole(derived=[(-1, 0)], cipher_keys=["k", "d"]), WORDS),
    (whole(cipher_keys=[]), WORDS),
    (whole(derived=[(0,)], cipher_keys=["k"]), WORDS),
    (whole(key_words=lambda p: [p.key_words[0], *p.key_words[:-1]]), ORDER),
    (whole(raw_words=-1), ORDER),
    (whole(raw_words=lambda p: len(p.key_words) + 1), ORDER),
    (rename("banks", "mul0", "other"), "bank other is written by mul0"),
    (bank("mul0", writer="mul9"), "bank mul0 is written by mul9"),
    (bank("mul0", name="other"), "bank mul0 is written by mul0"),
    (bank("in1", writer="lane2"), "bank in1 is written by lane2"),
    (bank("in1", writer="lane0"), "bank in1 is written by lane0"),
    (bank("mul0", cells=0), r"bank mul0 has 0 cells and \d+ read ports"),
    (bank("mul0", ports=-1), r"bank mul0 has \d+ cells and -1 read ports"),
    (chain(7, 7), "two chains have one number, or one has no stride"),
    (chain(7, stride=0), "two chains have one number, or one has no stride"),
    (rename("nets", "mul0.a", "mul0.b"), "there is no place for network mul0.b"),
    (rename("nets", "mul0.a", "mul0.c"), "there is no place for network mul0.c"),
    (lambda p: p.nets.update({"mul0.c": replace(p.nets["mul0.a"], name="mul0.c")}), "there is no place for network mul0.c"),
    (lambda p: p.nets.update({"out2.a": replace(p.nets["out0.a"], name="out2.a")}), "there is no place for network out2.a"),
    (lambda p: source(*astuple(p.nets["mul0.a"].sources[0]))(p), "network mul0.a has a source twice"),
    (source("bank", "mul9", 0), "a source that does not exist"),
    (source("bank", "mul0", index=lambda p: p.banks["mul0"].ports), "a source that does not exist"),
    (source("bank", "mul0", -1), "a source that does not exist"),
    (source("y", "mul9", 0), "a source that does not exist"),
    (source("y", "mul0", -1), "a source that does not exist"),
    (source("chain", index=99), "a source that does not exist"),
    (source("key", net="mul0.b", index=lambda p: p.nets["mul0.b"].key_ports), "a source that does not exist"),
    (source("key", net="mul0.b", index=-1), "a source that does not exist"),
    (source("magic"), "a source that does not exist"),
    (source("y", "mul0", 0, keep=16), "a source that does not exist"),
    (source("y", "mul0", 0, keep=-16), "a source that does not exist"),
]


@pytest.mark.parametrize(("plant", "message"), FAULTS, ids=[f"{n}: {message}" for n, (_, message) in enumerate(FAULTS)])
def test_faults_of_parts(plant: Plant, message: str) -> None:
    program = copy_program(made().allocation.program)
    plant(program)
    with pytest.raises(CheckError, match=message):
        check(program)


LEGAL: list[Plant] = [
    lambda p: None,
    whole(nonzero=lambda p: [0, len(p.key_words) - 1]),
    whole(derived=lambda p: [(0, len(p.key_words) - 1)], cipher_keys=["k", "d"], cipher_bits=[0, 0]),
    # More sources than are used, of every kind and up to the last of each.
    source("bank", "mul0", index=lambda p: p.banks["mul0"].ports - 1, keep=15),
    source("y", "mul0", 1, keep=-15),
    source("y", "mul0", 0, keep=7),
    source("chain", index=0, k=1),
    source("key", net="mul0.b", index=lambda p: p.nets["mul0.b"].key_ports - 1, k=5),
    source("const", keep=3),
    chain(7, 8),
    unit(slow_core="dec", slow_interval=1),
]


@pytest.mark.parametrize("plant", LEGAL, ids=[str(n) for n in range(len(LEGAL))])
def test_legal_parts(plant: Plant) -> None:
    program = copy_program(made().allocation.program)
    plant(program)
    check(program)
