# SPDX-License-Identifier: Apache-2.0
"""Each condition of the checker of graphs by itself: a small graph made by hand, and faults that one condition alone finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.kinds import kind as named

from modeloom.ir.check import CheckError, check_graph
from modeloom.ir.graph import Chain, Op, OpGraph, Pair, Term

SECTOR: dict[str, Any] = {
    "terms": 2, "blocks": 2, "tweak_blocks": 1, "block_bytes": 16, "raw_names": ("h",), "cipher_bits": (0, 256)
}  # fmt: skip
SETUP: dict[str, Any] = {"terms": 2, "blocks": 0, "tweak_blocks": 0, "block_bytes": 16, "raw_names": ("h",), "cipher_bits": (0,)}


def t(*source: object, k: int = 0, keep: int = 0) -> Term:
    """A term."""
    return Term(source, k, keep)


def graph() -> OpGraph:
    """Two blocks in both directions, with one operation of each kind and a chain of two steps."""

    def made() -> list[Op]:
        return [
            Op("mul", [(t("block", 0), t("tweak", 0, k=1)), (t("key", "h"),)], block=0),
            Op("enc", [(t("op", 0), t("const", 1))], (t("key", "w"), t("block", 1, keep=15)), keep=-15),
            Op("add", [(t("tweak", 0),)], number=5),
            Op(named("enc", 256), [(t("chain", 0, 0),)], number=1),
            Op(named("enc", 256), [(t("chain", 0, 1),)], number=1),
            Op("acc", [(t("op", 3), t("op", 4))]),
            Op("out", [(t("op", 1), t("op", 5))], index=0, block=0),
            Op("out", [(t("op", 2), t("block", 1))], index=1, block=1),
        ]

    both = zip(made(), made(), strict=True)
    pairs = [Pair(i, {"encrypt": one, "decrypt": other}) for i, (one, other) in enumerate(both)]
    pairs[1].ops["decrypt"].kind = named("dec")
    chain = Chain(0, 1, 2, {"encrypt": t("op", 2), "decrypt": t("op", 2)})
    return OpGraph("small", ("encrypt", "decrypt"), pairs, [chain], ["h", "w"], ("h",), (("w",),))


def setup() -> OpGraph:
    """A set-up that computes one word."""
    pairs = [
        Pair(0, {"setup": Op("mul", [(t("key", "h"),), (t("key", "h"),)])}), Pair(1, {"setup": Op("out", [(t("op", 0),)], index="w")})
    ]  # fmt: skip
    return OpGraph("small", ("setup",), pairs, [], ["h", "w"])


def test_the_graphs_themselves_are_legal() -> None:
    check_graph(graph(), **SECTOR)
    check_graph(setup(), **SETUP)
    with_chain = graph()
    for base in (t("tweak", 0), t("key", "w")):
        with_chain.chains[0] = replace(with_chain.chains[0], base={"encrypt": base, "decrypt": base})
        check_graph(with_chain, **SECTOR)


def test_a_direction_may_have_operations_of_its_own() -> None:
    """Before and between those of both, also where these read a chain."""
    alone = graph()
    for place, direction in ((0, "encrypt"), (3, "decrypt"), (4, "encrypt")):
        # What reads operations of both keeps reading them, behind the new one.
        for pair in alone.pairs:
            for one in pair.ops.values():
                one.pre, one.post = [moved(form, place) for form in one.pre], moved(one.post, place)
        base = {d: moved((term,), place)[0] for d, term in alone.chains[0].base.items()}
        alone.chains[0] = replace(alone.chains[0], base=base)
        alone.pairs.insert(place, Pair(place, {direction: Op("acc", [(t("tweak", 0),)])}))
        for n, pair in enumerate(alone.pairs):
            pair.id = n
        check_graph(alone, **SECTOR)


def moved(form: tuple[Term, ...], place: int) -> tuple[Term, ...]:
    return tuple(t("op", term.source[1] + (term.source[1] >= place)) if term.source[0] == "op" else term for term in form)


def op(place: int, /, **changes: Any) -> Callable[[OpGraph], None]:
    """A change of an operation of encryption."""

    def plant(g: OpGraph) -> None:
        for name, value in changes.items():
            setattr(g.pairs[place].ops["encrypt"], name, value)

    return plant


def chain(**changes: Any) -> Callable[[OpGraph], None]:
    """A change of the chain."""

    def plant(g: OpGraph) -> None:
        g.chains[0] = replace(g.chains[0], **changes)

    return plant


def whole(**changes: Any) -> Callable[[OpGraph], None]:
    """A change of the graph."""

    def plant(g: OpGraph) -> None:
        for name, value in changes.items():
            setattr(g, name, value)

    return plant


def both(base: Term) -> dict[str, Term]:
    return {"encrypt": base, "decrypt": base}


def leaves_twice(g: OpGraph) -> None:
    g.pairs.append(Pair(8, {"encrypt": replace(g.pairs[7].ops["encrypt"])}))


def two_of_three(g: OpGraph) -> None:
    """A block that leaves twice in place of another."""
    g.pairs[7].ops["encrypt"] = replace(g.pairs[7].ops["encrypt"], index=0, block=0)


def other_operand(g: OpGraph) -> None:
    for o in g.pairs[4].ops.values():
        o.pre, o.post = [(t("block", 0),)], (t("chain", 0, 1),)


def no_result_there(g: OpGraph) -> None:
    del g.pairs[4].ops["encrypt"]
    g.pairs[5].ops["encrypt"].pre = [(t("op", 3),)]
    g.pairs[6].ops["encrypt"].pre = [(t("op", 4),)]
    g.chains[0] = replace(g.chains[0], base={"decrypt": t("op", 2)})
    g.pairs[3].ops["encrypt"].pre = [(t("block", 0),)]


def early(g: OpGraph) -> None:
    g.pairs[3].ops["encrypt"].pre = [(t("op", 3),)]
    g.chains[0] = replace(g.chains[0], base={"decrypt": t("op", 2)})
    g.pairs[4].ops["encrypt"].pre = [(t("block", 0),)]


def chain_of_nothing(g: OpGraph) -> None:
    for d in g.directions:
        g.pairs[2].ops[d].post = (t("chain", 1, 0),)


def base_is(number: int) -> Callable[[OpGraph], None]:
    """A chain whose base is an operation at or behind its first use."""
    return chain(base=both(t("op", number)))


BYTES = 1 << 128

FAULTS: list[tuple[Callable[[OpGraph], None], str]] = [
    (whole(directions=()), "small: the directions are not one or more different ones"),
    (whole(directions=("encrypt", "encrypt")), "small: the directions are not one or more different ones"),
    (whole(key_names=["h", "w", "w"]), "small: two key words have one name"),
    (whole(key_names=["w", "g"]), "small: the host loads key words that do not exist"),
    (whole(nonzero=("g",)), "small: a key word that must not be 0, or holds a cipher key, does not exist"),
    (whole(derived=(("w", "g"),)), "small: a key word that must not be 0, or holds a cipher key, does not exist"),
    (lambda g: setattr(g.pairs[2], "id", 3), "small: operation 2: its number is 3"),
    (lambda g: g.pairs[2].ops.clear(), "small: operation 2: it is empty"),
    (lambda g: g.pairs[2].ops.update(sideways=g.pairs[2].ops["encrypt"]), "small: operation 2: the graph has no direction 'sideways'"),
    (op(2, kind=named("acc"), number=0), "small: operation 2: acc and add cannot be done by one unit"),
    (op(1, kind=named("acc"), post=(), keep=0), "small: operation 1: acc and dec cannot be done by one unit"),
    (lambda g: [setattr(o, "kind", "hash") for o in g.pairs[2].ops.values()], "small: operation 2: unknown kind 'hash'"),
    (op(0, pre=[(t("block", 0),)]), "small: operation 0: mul takes 2 operands, not 1"),
    (op(2, pre=[(t("tweak", 0),), (t("tweak", 0),)]), "small: operation 2: add takes 1 operands, not 2"),
    (op(0, number=1), "small: operation 0: mul has the number 1"),
    (op(1, number=2), "small: operation 1: enc has the number 2"),
    (op(1, number=-1), "small: operation 1: enc has the number -1"),
    (op(1, number=1), "small: operation 1: enc is not for the length of cipher key 1"),
    (op(3, number=0), "small: operation 3: enc256 is not for the length of cipher key 0"),
    (op(2, number=0), "small: operation 2: it adds 0, which is 0 or more than 32 bits"),
    (op(2, number=1 << 32), f"small: operation 2: it adds {1 << 32}, which is 0 or more than 32 bits"),
    (op(2, number=-5), "small: operation 2: it adds -5, which is 0 or more than 32 bits"),
    (op(5, post=(t("block", 0),)), "small: operation 5: acc adds nothing to its result and cuts nothing from it"),
    (op(5, keep=3), "small: operation 5: acc adds nothing to its result and cuts nothing from it"),
    (op(7, keep=3), "small: operation 7: out adds nothing to its result and cuts nothing from it"),
    (op(7, post=(t("block", 0),)), "small: operation 7: out adds nothing to its result and cuts nothing from it"),
    (op(0, keep=16), "small: operation 0: it keeps 16 bytes of a block of 16"),
    (op(0, keep=-16), "small: operation 0: it keeps -16 bytes of a block of 16"),
    (op(0, post=tuple(t("block", 0, k=k) for k in range(3))), "small: operation 0: 3 terms are added to its result, more than 2"),
    (op(2, pre=[tuple(t("block", 0, k=k) for k in range(3))]), "small: operation 2: an operand has 3 terms, more than 2"),
    (op(0, pre=[(t("block", 0),), tuple(t("key", "h", k=k) for k in range(3))]), "small: operation 0: an operand has 3 terms, more than 2"),
    (op(0, pre=[(t("block", 0),), (t("key", "h"), t("key", "h"))]), "small: operation 0: a form has two equal terms"),
    (op(0, post=(t("block", 0), t("block", 0))), "small: operation 0: a form has two equal terms"),
    (op(0, post=(t("const", 1), t("const", 2))), "small: operation 0: a form has two constants"),
    (op(0, post=(t("block", 0, keep=16),)), "small: operation 0: a term keeps 16 bytes of a block of 16"),
    (op(0, post=(t("block", 0, keep=-16),)), "small: operation 0: a term keeps -16 bytes of a block of 16"),
    (op(0, post=(t("block", 2),)), "small: operation 0: there is no block 2"),
    (op(0, post=(t("block", -1),)), "small: operation 0: there is no block -1"),
    (op(0, post=(t("tweak", 1),)), "small: operation 0: there is no tweak 1"),
    (op(0, post=(t("const", 0),)), "small: operation 0: a constant is 0 or does not fit a block"),
    (op(0, post=(t("const", BYTES),)), "small: operation 0: a constant is 0 or does not fit a block"),
    (op(0, post=(t("key", "g"),)), "small: operation 0: there is no key word 'g'"),
    (op(0, post=(t("wish", 0),)), "small: operation 0: unknown source 'wish'"),
    (op(0, block=2), "small: operation 0: it belongs to block 2, and a sector has 2"),
    (op(0, block=-1), "small: operation 0: it belongs to block -1, and a sector has 2"),
    (op(7, index="w"), "small: operation 7: 'w' is not what leaves here"),
    (op(7, index=0), "small: operation 7: block 0 is taken for block 1"),
    (op(7, block=None), "small: operation 7: block 1 is taken for block None"),
    (op(0, index=0), "small: operation 0: mul has an index"),
    (chain(id=1), "small: chain 0: its number is 1"),
    (chain(stride=0), "small: chain 0: it has no stride, no use or no base"),
    (chain(length=0), "small: chain 0: it has no stride, no use or no base"),
    (chain(base={}), "small: chain 0: it has no stride, no use or no base"),
    (chain(base={**both(t("op", 2)), "sideways": t("op", 2)}), "small: chain 0: the graph has no direction 'sideways'"),
    (chain(base=both(t("block", 0))), "small: chain 0: its base is not a whole result, tweak block or key word"),
    (chain(base=both(t("op", 2, keep=1))), "small: chain 0: its base is not a whole result, tweak block or key word"),
    (chain(base=both(t("tweak", 1))), "small: chain 0: there is no tweak 1"),
    (chain(base=both(t("op", 8))), "small: chain 0: encrypt reads operation 8, which is not an earlier one"),
    (chain(base=both(t("op", -1))), "small: chain 0: encrypt reads operation -1, which is not an earlier one"),
    (chain(base=both(t("op", 6))), "small: chain 0: encrypt reads operation 6, which gives no result there"),
    (chain(length=3), "small: chain 0: encrypt does not use each of its 3 steps once and in order"),
    (chain(length=1), "small: chain 0: encrypt does not use each of its 1 steps once and in order"),
    (op(3, pre=[(t("chain", 0, 1),)]), "small: chain 0: encrypt does not use each of its 2 steps once and in order"),
    (other_operand, "small: chain 0: encrypt reads it at different operands"),
    (base_is(3), "small: chain 0: encrypt uses it before its base is computed"),
    (base_is(5), "small: chain 0: encrypt uses it before its base is computed"),
    (early, "small: operation 3: encrypt reads operation 3, which is not an earlier one"),
    (op(1, pre=[(t("op", -1),)]), "small: operation 1: encrypt reads operation -1, which is not an earlier one"),
    (op(7, pre=[(t("op", 6),)]), "small: operation 7: encrypt reads operation 6, which gives no result there"),
    (no_result_there, "small: operation 6: encrypt reads operation 4, which gives no result there"),
    (chain_of_nothing, "small: operation 2: there is no chain 1"),
    (op(4, pre=[(t("chain", -1, 1),)]), "small: chain 0: encrypt does not use each of its 2 steps once and in order"),
    (op(3, pre=[(t("chain", 0, 0, k=1),)]), "small: operation 3: a step of a chain is multiplied or cut"),
    (op(3, pre=[(t("chain", 0, 0, keep=1),)]), "small: operation 3: a step of a chain is multiplied or cut"),
    (chain(base={"decrypt": t("op", 2)}), "small: operation 3: chain 0 has no step 0 in encrypt"),
    (leaves_twice, "small: encrypt: not every block (of a set-up, key word) leaves once"),
    (two_of_three, "small: encrypt: not every block (of a set-up, key word) leaves once"),
    (lambda g: g.pairs[7].ops.pop("encrypt"), "small: encrypt: not every block (of a set-up, key word) leaves once"),
]  # fmt: skip


@pytest.mark.parametrize(("plant", "message"), FAULTS, ids=[f"{n}: {message}" for n, (_, message) in enumerate(FAULTS)])
def test_faults_of_sectors(plant: Callable[[OpGraph], None], message: str) -> None:
    broken = graph()
    plant(broken)
    with pytest.raises(CheckError) as caught:
        check_graph(broken, **SECTOR)
    assert str(caught.value) == message


@pytest.mark.parametrize("keep", [-15, -1, 0, 1, 15])
def test_what_may_be_kept(keep: int) -> None:
    for change in (op(0, keep=keep), op(0, post=(t("block", 0, keep=keep),))):
        legal = graph()
        change(legal)
        check_graph(legal, **SECTOR)


def test_the_largest_constants_and_numbers() -> None:
    for change in (op(0, post=(t("const", BYTES - 1),)), op(2, number=(1 << 32) - 1), op(2, number=1), op(0, block=1), op(0, block=None)):
        legal = graph()
        change(legal)
        check_graph(legal, **SECTOR)


SETUP_FAULTS: list[tuple[Callable[[OpGraph], None], str]] = [
    (lambda g: setattr(g.pairs[1].ops["setup"], "index", 1), "small: operation 1: 1 is not what leaves here"),
    (lambda g: setattr(g.pairs[1].ops["setup"], "index", "h"), "small: setup: not every block (of a set-up, key word) leaves once"),
    (lambda g: g.pairs.pop(), "small: setup: not every block (of a set-up, key word) leaves once"),
    (
        lambda g: g.pairs[0].ops["setup"].pre.__setitem__(0, (t("key", "w"),)),
        "small: operation 0: setup reads key word 'w' before it is written",
    ),
    (lambda g: g.pairs[0].ops["setup"].pre.__setitem__(0, (t("block", 0),)), "small: operation 0: there is no block 0"),
    (lambda g: g.pairs[0].ops["setup"].pre.__setitem__(0, (t("tweak", 0),)), "small: operation 0: there is no tweak 0"),
]


@pytest.mark.parametrize(("plant", "message"), SETUP_FAULTS, ids=[message for _, message in SETUP_FAULTS])
def test_faults_of_set_ups(plant: Callable[[OpGraph], None], message: str) -> None:
    broken = setup()
    plant(broken)
    with pytest.raises(CheckError) as caught:
        check_graph(broken, **SETUP)
    assert str(caught.value) == message


def test_words_are_read_after_they_are_written() -> None:
    """In a set-up its own words and blocks of no sector count; in a sector every word is there."""
    legal = setup()
    legal.pairs.append(Pair(2, {"setup": Op("mul", [(t("key", "w"),), (t("key", "h"),)], block=7)}))
    check_graph(legal, **SETUP)
    sector = graph()
    op(0, post=(t("key", "w"),))(sector)
    check_graph(sector, **SECTOR)
