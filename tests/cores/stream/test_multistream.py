# SPDX-License-Identifier: Apache-2.0
"""Cores whose cipher is one round for several blocks at a time: results of random messages, and the cycles that messages take."""

from random import Random

import pytest
from tests.built import slow, slowly
from tests.cores.stream.channels import ChannelHost, check_channels, shuffled
from tests.cores.stream.host import Host
from tests.cores.stream.traffic import Traffic, check
from tests.external import needs
from tests.streamed import compiled, folder

from modeloom.ciphers import cipher_of
from modeloom.cores.stream import StreamCore
from modeloom.definition.software import expanded_key
from modeloom.emit import run_bench
from modeloom.spec import InputError, UnknownName
from modeloom.verification.stream.host import StreamSubject
from modeloom.verification.stream.pace import check_pace
from modeloom.verification.stream.statuses import check_messages

SMALL = {"key_slots": 3, "mul_stages": 1, "cipher_arch": "multistream", "key_bits": 128}

CORES = {
    "four streams": ("gcm", {"streams": 4}),
    "two streams": ("gcm", {"streams": 2}),
    "one stream": ("gcm", {"streams": 1}),
    "all key sizes": ("gcm", {"key_bits": None}),
    "two lanes": ("gcm", {"streams": 2, "blocks_per_cycle": 2}),
    "four lanes": ("gcm", {"streams": 4, "blocks_per_cycle": 4}),
    "held text": ("gcm", {"hold": 100}),
    "many slots": ("gcm", {"key_slots": 70, "streams": 1}),
    "expanded keys": ("gcm", {"keys": "expanded"}),
    "lut6": ("gcm", {"mul_arch": "lut6", "mul_stages": 0}),
    "decryption alone": ("gcm", {"direction": "decrypt"}),
    "both directions of the cipher": ("deciphering", {"streams": 2}),
    "both directions, all sizes": ("deciphering", {"streams": 1, "key_bits": None}),
    "no hash": ("no-hash", {"streams": 4}),
    "tweaks": ("deoxys-i", {"streams": 4}),
    "tweaks, two streams, expanded keys": ("deoxys-i", {"streams": 2, "direction": "encrypt", "keys": "expanded"}),
    "tweaks, one stream, many slots": ("deoxys-i", {"streams": 1, "key_slots": 70}),
    "partial blocks in lanes": ("padded", {"blocks_per_cycle": 2}),
    "starts ahead and tags behind": ("ocb3", {"streams": 2}),
    "starts ahead, all key sizes, one stream": ("ocb3", {"streams": 1, "key_bits": None, "hold": 100}),
    "tokens that return": ("aes-otr", {"streams": 1}),
    "tokens that return, four streams": ("aes-otr", {"streams": 4}),
    "tokens that return, tags in order": ("twice", {"streams": 2}),
    "a chain": ("ccm", {"streams": 1}),
    "a chain, four streams": ("ccm", {"streams": 4}),
}


@pytest.mark.parametrize("core", ["four streams", *slowly(*[core for core in CORES if core != "four streams"])])
def test_random_messages(core):
    """Messages of all kinds under several slots, one after another, and each in its steady state at the stated distance."""
    mode, options = CORES[core]
    made = compiled(mode, **{**SMALL, **options})
    rng, host, d = Random(core), Host(made), StreamCore(made).describe("core", "test")
    keys = [rng.randbytes(d.key_lengths[n % len(d.key_lengths)]) for n in range(d.key_slots if d.key_slots < 5 else 2)]
    for slot, key in enumerate(keys):
        host.key(expanded_key(made.mode, cipher_of(made.mode, made.options.cipher), key) if made.options.keys == "expanded" else key, slot)
    traffic = Traffic(made.mode, keys, rng)
    ways = [way == "decrypt" for way in d.directions]
    sent = [one for one in traffic.some(40 if mode == "gcm" else 25) if one[0].decrypt in ways]
    if d.hold is not None:
        # What is held and fails gives no text.
        sent = [one for one in sent if one[1].code == "OK"]
    check(host, sent)
    if d.hold is not None:
        return
    for ad, text in ((0, 0), (0, 48), (20, 70)):
        count, cycles = d.steady(ad, text)
        burst = [traffic.one(None, ad, text, decrypt=ways[0]) for _ in range(3 * count + 12)]
        at = [status.status_cycle for status in check(host, burst)]
        if d.varies:
            # Each of its tokens takes a place of a batch, and what the last message of a few waits for its batch is not counted.
            assert (at[-1] - at[12]) * count <= cycles * (len(at) - 13) + count * d.waits
        else:
            assert {b - a for a, b in zip(at[12:], at[12 + count :], strict=False)} <= {cycles}


BENCHES = {
    "all key sizes": ("gcm", {"key_bits": None}),
    "both directions, all sizes": ("deciphering", {"streams": 2, "key_bits": None}),
    "channels": ("gcm", {"streams": 1, "channels": 3}),
    "held packets on the wire": ("gcm", {"streams": 4, "packet": "wire", "hold": 100}),
    "opens alone, on the wire": ("gcm", {"streams": 1, "packet": "wire", "direction": "decrypt"}),
    "lanes": ("gcm", {"streams": 2, "blocks_per_cycle": 4}),
    "tweaks": ("deoxys-i", {"streams": 4, "key_slots": 1}),
}


@slow
@needs("iverilog")
@pytest.mark.parametrize("core", BENCHES)
def test_bench(core):
    """The bench in Icarus Verilog, which knows unknown bits, takes no latency or distance that ``core.json`` does not state."""
    mode, options = BENCHES[core]
    assert run_bench(folder(mode, **{**SMALL, **options}))


def test_figures():
    """Four blocks every 40 cycles; ``core.json`` has the cadence, and the mean cycles of a block."""
    d = StreamCore(compiled(**SMALL, streams=4)).describe("core", "test")
    assert (d.cadence.blocks, d.cadence.interval, d.cadence.cycles_a_block) == (4, 40, 10)
    assert (d.cycles.associated, d.cycles.text, d.cycles.tag) == (1, 10, 10)
    assert d.cadence.steps["encrypt"].ciphers == (0,) and d.cadence.steps["associated"].ciphers == ()
    assert (d.waits, d.bench_figures) == (36, {"cycles_per_message": 40})
    assert [d.steady(0, nbytes) for nbytes in (0, 16, 48)] == [(4, 40), (2, 40), (1, 40)]
    pipelined = StreamCore(compiled(key_bits=128, key_slots=3, mul_stages=1)).describe("core", "test")
    assert pipelined.cadence is None and pipelined.waits == 0 and pipelined.steady(0, 48) == (1, 4)


@slow
@pytest.mark.parametrize(("mode", "streams"), [("ocb3", 2), ("aes-otr", 2), ("deoxys-ii", 1), ("ccm", 4)])
def test_every_latency_and_distance_is_as_stated(mode, streams):
    """Starts that run ahead, tags that follow, tokens that return and chains keep the cadence."""
    options = {**SMALL, "key_bits": None} if mode == "deoxys-ii" else SMALL
    subject = StreamSubject(folder(mode, **options, streams=streams), optimize=1)
    assert check_pace(subject)[1]["messages"] > 100


@slow
@pytest.mark.parametrize("streams", [1, 4])
def test_two_passes(streams):
    """Deoxys-II: a block to open has the cipher twice, and one of the second pass, too."""
    subject = StreamSubject(folder("deoxys-ii", **{**SMALL, "key_bits": None}, streams=streams), optimize=1)
    assert check_messages(subject, wanted=150)[1]["messages"] >= 150


def test_places_of_a_message():
    """A message of OCB3 takes a place for each block, and two more: messages follow each other as places are free."""
    d = StreamCore(compiled("ocb3", **SMALL, streams=4, prove=False)).describe("core", "test")
    assert [d.steady(0, nbytes) for nbytes in (0, 16, 32, 64)] == [(2, 40), (4, 120), (1, 40), (2, 120)]
    assert (d.varies, d.waits, d.cycles.start) == (True, 39, 10)
    pairs = StreamCore(compiled("aes-otr", **SMALL, streams=1, prove=False)).describe("core", "test")
    # The last block of associated data also takes the place in which it enters.
    assert (pairs.steady(0, 32), pairs.steady(1, 32)) == ((1, 40), (1, 60)) and pairs.explain.returns["encrypt"] == (0, 20)


def test_names_of_cores():
    assert StreamCore(compiled(cipher_arch="multistream")).words[1:3] == ("multistream", "streams4")
    assert "cipher_stages" not in " ".join(StreamCore(compiled(cipher_arch="multistream", streams=1)).words)


@pytest.mark.parametrize(("options", "error", "message"), [
    ({"streams": 4}, InputError, "--streams is for --cipher-arch multistream; leave it out"),
    ({"cipher_arch": "multistream", "streams": 3}, InputError, "--streams must be 1, 2 or 4, not 3"),
    ({"cipher_arch": "multistream", "cipher_stages": 2}, InputError, "--cipher-stages is for pipelines"),
    ({"cipher_arch": "multistream", "cipher_sbox": "bram"}, InputError, "--cipher-sbox bram is for pipelines"),
    ({"cipher_arch": "multistream", "keys": "inline", "key_schedule": "iterative"}, InputError, "--key-schedule iterative clears all"),
    ({"cipher_arch": "multistream", "cipher": "sm4"}, InputError, "sm4 has no round core for several streams"),
    ({"mode": "ccm", "cipher_arch": "multistream", "cipher_cores": 2}, InputError, "--cipher-cores is for pipelines; a multistream core"),
    ({"cipher_arch": "sequential"}, UnknownName, "sequential"),
])  # fmt: skip
def test_options_that_do_not_fit(options, error, message):
    with pytest.raises(error, match=message):
        compiled(**options)


@slow
def test_channels():
    """Blocks of several channels share the batches of the cipher."""
    rng = Random(4)
    keys = [rng.randbytes(16) for _ in range(2)]
    made = compiled(**{**SMALL, "streams": 2, "channels": 3})
    host = ChannelHost(made, seed=4)
    for slot, key in enumerate(keys):
        host.key(key, slot)
    traffic = Traffic(made.mode, keys, rng)
    check_channels(host, {channel: traffic.some(15) for channel in range(3)}, shuffled(rng, 9))
