# SPDX-License-Identifier: Apache-2.0
"""Pipelines of modes with two passes: their proofs, changed pipelines that are refused, and definitions that no pipeline has."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.streamed import compiled
from tests.streams.modes import HashedTwice

from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.modes.deoxys_ii import DeoxysII
from modeloom.modes.gcm_siv import GCMSIV
from modeloom.prove.execute import ProofError
from modeloom.spec import DefinitionError, InputError
from modeloom.streams.plan import plan_stream
from modeloom.streams.prove import prove_stream
from modeloom.streams.prove_open import prove_channels
from modeloom.streams.steps import Source, Term
from modeloom.streams.trace import trace_stream

LATENCIES = {"cipher": 11, "mul": 5}


def made(mode: Any, cores: int = 1, **changes: int) -> Any:
    return plan_stream(mode(), 16, {**LATENCIES, **changes}, cores=cores)


@pytest.mark.parametrize(("mode", "cores"), [(DeoxysII, 2), (GCMSIV, 1), (HashedTwice, 1)])
def test_proved(mode: Any, cores: int) -> None:
    """First passes, second passes and messages to open, after one another, and in several channels."""
    plan = made(mode, cores)
    assert prove_stream(plan).messages > 9 * plan.chains
    assert prove_channels(plan) > 10


def test_tokens() -> None:
    """A block of text takes a token in each pass, and two ciphers where it is deciphered and then absorbed."""
    figures = compiled("deoxys-ii", prove=False).explain()
    assert figures["tokens"] == {"start": 0, "associated": 1, "text": 1, "tag": 1} and figures["passes"] == 2
    assert figures["units"]["cipher_1"]["stage"] == figures["units"]["cipher"]["latency"] and figures["beside"] == ["tag"]
    assert compiled("gcm-siv", prove=False, keys="inline").explain()["tokens"] == {"start": 0, "associated": 1, "text": 1, "tag": 2}
    assert "passes" not in compiled("gcm", prove=False).explain()


def whole_tag(plan: Any) -> None:
    start = plan.step("start")
    start.updates["stream"] = tuple(Term(term.source) if term.source.kind == "tag" else term for term in start.updates["stream"])


def nonce_for_tag(plan: Any) -> None:
    start = plan.step("start")
    other = Source("nonce")
    start.updates["stream"] = tuple(Term(other, term.maps) if term.source.kind == "tag" else term for term in start.updates["stream"])


def no_absorbed_text(plan: Any) -> None:
    del plan.step("encrypt").updates["auth"]


def absorbed_once(plan: Any) -> None:
    del plan.step("absorb").updates["number"]


def early_second_cipher(plan: Any) -> None:
    plan.placed.stages["cipher_1"] -= 1


def early_tag(plan: Any) -> None:
    (only,) = plan.placed.passes["tag"]
    plan.placed.passes["tag"] = (replace(only, at=only.at - 2),)


@pytest.mark.parametrize(
    "change", [whole_tag, nonce_for_tag, no_absorbed_text, absorbed_once, early_second_cipher, early_tag],
    ids=lambda change: change.__name__,
)  # fmt: skip
def test_changed_pipelines_are_refused(change: Any) -> None:
    plan = made(DeoxysII, 2)
    prove_stream(plan)
    change(plan)
    with pytest.raises(ProofError, match="^deoxys-ii: "):
        prove_stream(plan)


@pytest.mark.parametrize("step", ["absorb", "associated"])
def test_a_first_pass_that_reads_the_tag(step: str) -> None:
    wrong = type("Wrong", (HashedTwice,), {step: lambda self, o, k, s, p: s.replace(y=o.mul(s.y ^ p ^ s.counter, k.H))})
    with pytest.raises(DefinitionError, match=rf"{step}\(\) reads the state counter, which tagged\(\) writes: the first pass has no tag"):
        trace_stream(wrong(), 16)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("deoxys-ii", {"packet": "wire"}, "--packet wire is not for deoxys-ii: it has two passes, and the tag of a packet comes last"),
        ("deoxys-ii", {"interface": "lwc"}, "--interface lwc is not for deoxys-ii: it has two passes, and the tag of a packet comes last"),
        ("deoxys-ii", {"cipher_cores": 1}, "--cipher-cores 1: a block of deoxys-ii goes through 2 ciphers; leave it out"),
        ("deoxys-ii", {"blocks_per_cycle": 2}, "deoxys-ii: several ciphers, and a prefix of associated data, are for one block per cycle"),
        ("hashed-twice", {"cipher_cores": 2}, "--cipher-cores 2: a block of hashed-twice goes through the cipher; leave it out"),
        ("gcm-siv", {}, "gcm-siv has new keys for each nonce; build it with --keys derived, or --keys inline if they come with messages"),
        ("gcm-siv", {"keys": "expanded"}, "gcm-siv has new keys for each nonce"),
    ],
)
def test_options_that_do_not_fit(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        compiled(name, prove=False, **options)
    assert str(error.value).startswith(message)


def test_two_ciphers_of_a_block_in_batches() -> None:
    """A mode on AES whose blocks go through two ciphers, which stand at different places in its two passes."""
    changed = {"absorb": lambda self, o, k, s, p: s.replace(counter=s.counter, y=o.mul(s.y ^ o.enc(p), k.H))}
    twice = type("Ciphers", (HashedTwice,), {**changed, "partial_absorb": changed["absorb"], "partial_encrypt": HashedTwice.encrypt})
    message = "--cipher-arch multistream is not for hashed-twice: its steps use the one cipher at different places; leave it out"
    with pytest.raises(InputError, match=message):
        compile_stream(twice(), StreamOptions(key_bits=128, cipher_arch="multistream"), prove=False)
