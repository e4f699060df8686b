# SPDX-License-Identifier: Apache-2.0
"""Cores whose text comes in pairs of blocks, and whose tokens return to the cipher: AES-OTR, and modes of the tests' own."""

from random import Random

import pytest
from tests.built import slow, slowly
from tests.cores.stream.host import Host, Sent
from tests.cores.stream.traffic import Traffic, check
from tests.streams.pair_modes import Braid, Twice

from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.modes.aes_otr import AESOTR
from modeloom.spec import InputError

SMALL = {"cipher_stages": 1, "mul_stages": 1, "key_slots": 3}

PLACES = 32
"""Messages of such a core that may have started and not begun."""

MADE = {}


def made(mode, **options):
    """A compiled mode, once for each."""
    key = mode.name, str(options)
    if key not in MADE:
        sizes = {} if mode is Braid else {"key_bits": 128}
        MADE[key] = compile_stream(mode(), StreamOptions(**{**SMALL, **sizes, **options}), prove=False)
    return MADE[key]


def core(mode=AESOTR, gaps=None, seed=11, **options):
    """A core with a key in each slot, and messages for it."""
    rng = Random(seed)
    compiled = made(mode, **options)
    host = Host(compiled, gaps=gaps)
    keys = [rng.randbytes(mode().key_bytes(compiled.options.key_bits // 8)) for _ in range(3)]
    for slot, key in enumerate(keys):
        host.key(key, slot)
    return host, Traffic(mode(), keys, rng)


@pytest.mark.parametrize("mode", slowly(AESOTR, Braid, Twice))
def test_random_messages(mode):
    host, traffic = core(mode, {"m_axis": 0.2, "s_axis": 0.1, "s_axis_cmd": 0.3})
    check(host, traffic.some(120, most=9 * mode.block_bytes))


def test_every_length_of_the_last_pair():
    host, traffic = core()
    check(host, [traffic.one(None, n % 40, n, decrypt=decrypt) for n in range(70) for decrypt in (False, True)])


@pytest.mark.parametrize(
    ("ad", "text", "cycles"), [(0, 0, 2), (0, 1, 3), (1, 0, 3), (0, 32, 4), (17, 47, 7), (0, 160, 12), (33, 1, 6), (0, 1500, 96)]
)
def test_pace(ad, text, cycles):
    """A place of the cipher for each block, one for the start and one for the tag; at most a cycle more with associated data."""
    host, traffic = core()
    count = 80
    statuses = check(host, [traffic.one(None, ad, text) for _ in range(count)])
    half = [status.status_cycle for status in statuses[count // 4 :]]
    # Starts of messages without data come in bursts, as many as have places.
    burst = PLACES if not ad + text else 0
    # Where the measured part begins and ends, a message may be a cycle late or early.
    assert half[-1] - half[0] <= (cycles + bool(ad)) * (len(half) - 1) + burst + 2


@pytest.mark.parametrize("beats", range(1, 6))
def test_a_packet_that_is_cut_off_has_whole_pairs(beats):
    """The beat with a gap is the last one.  What came before it leaves in whole pairs, and messages behind it are as they should be."""
    host, traffic = core(seed=beats)
    jobs = []
    for ad in (0, 20):
        sent, expected = traffic.one(None, ad, 16 * 7, decrypt=False)
        good = host.beats_of(sent)
        first = -(-ad // 16)
        wrong = [(data, keep, 0) for data, keep, _ in good[: first + beats - 1]] + [(good[first + beats - 1][0], 5, 1)]
        jobs.append((Sent(sent.nonce, sent.text, sent.ad, sent.slot, beats=wrong), expected))
        jobs += [traffic.one(None, 3, 40), traffic.one(None, 0, 7)]
    statuses, packets = host.run([sent for sent, _ in jobs])
    wanted, whole = [], (beats - 1) // 2 * 32
    for number, (_, expected) in enumerate(jobs):
        if number % 3:
            wanted.append((expected.text, 0))
        elif whole:
            wanted.append((expected.text[:whole], 1))
    assert packets == wanted
    assert [status.code for status in statuses] == ["BAD_KEEP", "OK", "OK"] * 2


@slow
@pytest.mark.parametrize("bytes_held", [16, 100])
def test_text_that_is_held(bytes_held):
    host, traffic = core(gaps={"m_axis": 0.3}, hold=bytes_held)
    jobs = [traffic.one(None, 5, n % (bytes_held + 1), decrypt=n % 2 > 0, wrong=n % 3 == 0) for n in range(90)]
    statuses, packets = host.run([sent for sent, _ in jobs])
    assert [status.code for status in statuses] == [expected.code for _, expected in jobs]
    assert packets == [(expected.text, 0) for _, expected in jobs if expected.text and expected.code == "OK"]


@pytest.mark.parametrize(
    ("mode", "options", "says"),
    [
        (AESOTR, {"channels": 2}, "--channels is not for aes-otr: pairs are put together for one message at a time; leave it out"),
        (Twice, {"channels": 2}, "--channels is not for twice: a token returns to the cipher of one message; leave it out"),
        (
            AESOTR, {"packet": "wire"},
            "--packet wire is not for aes-otr, which has steps for last blocks: where a packet ends too early, the core would take its "
            "text for a whole one; leave it out",
        ),
        (AESOTR, {"blocks_per_cycle": 2}, "aes-otr takes text in pairs, which is for one block per cycle; leave out --blocks-per-cycle"),
    ],
)  # fmt: skip
def test_what_does_not_go_together(mode, options, says):
    with pytest.raises(InputError) as error:
        made(mode, **options)
    assert str(error.value) == says
