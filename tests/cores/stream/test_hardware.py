# SPDX-License-Identifier: Apache-2.0
"""Cores for messages in Amaranth's own netlist: what users of open cores complain of, each by its name."""

from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
from tests.built import slowly
from tests.cores.stream.host import Host, Sent
from tests.cores.stream.traffic import Traffic, check, tokens

import modeloom_golden as golden
from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.layers import Stack
from modeloom.modes.gcm import GCM
from modeloom_golden.aes import AES

SLOTS = 4
MOST = GCM.most_text // 16
SMALL = StreamOptions(key_bits=128, cipher_stages=1, mul_stages=2, key_slots=SLOTS)


@pytest.fixture(scope="module")
def compiled():
    return compile_stream(GCM(), SMALL, prove=False)


@pytest.fixture(scope="module")
def keys():
    rng = Random(7)
    return [rng.randbytes(16) for _ in range(SLOTS)]


@pytest.fixture
def fresh(compiled, keys):
    """A core of a test's own, for tests of keys and resets."""
    made = Host(compiled)
    for slot, key in enumerate(keys):
        made.key(key, slot)
    return made


@pytest.fixture(scope="module")
def idle():
    """Cores with all keys and nothing to do."""
    return []


@pytest.fixture
def host(request, idle):
    """A core with all keys, which has worked on the messages of other tests before.  One that is left with work is not used again."""
    made = idle.pop() if idle else request.getfixturevalue("fresh")
    yield made
    if not any(made.runner.waiting(bus) for bus in ("s_axis", "s_axis_cmd", "m_axis", "m_axis_status")):
        idle.append(made)


@pytest.fixture
def traffic(keys):
    return Traffic(GCM(), keys, Random(3))


def test_random_messages(host, traffic):
    check(host, traffic.some(120))


def test_gaps_anywhere_and_back_pressure(compiled, keys, traffic):
    gaps = {"s_axis": 0.4, "s_axis_cmd": 0.5, "m_axis": 0.5, "m_axis_status": 0.6}
    host = Host(compiled, gaps=gaps)
    for slot, key in enumerate(keys):
        host.key(key, slot)
    check(host, traffic.some(120))


def test_against_the_reference_that_knows_no_modeloom(host, keys):
    """The golden reference is written from SP 800-38D alone."""
    rng, made = Random(4), []
    for length in (0, 1, 16, 47):
        nonce, text, ad = rng.randbytes(12), rng.randbytes(length), rng.randbytes(20)
        sealed = golden.GCM(keys[1]).seal(nonce, text, ad)
        made.append((Sent(nonce, text, ad, 1), sealed))
    statuses, packets = host.run([sent for sent, _ in made])
    assert [got.tag for got in statuses] == [sealed[-16:] for _, sealed in made]
    assert [text for text, _ in packets] == [sealed[:-16] for _, sealed in made if sealed[:-16]]


def test_messages_back_to_back_without_a_flush(host, traffic):
    """A block a cycle and one for the tag, whatever keys, directions and lengths: no cycle is lost."""
    made = [traffic.one(None, ad, text) for ad in (0, 13, 16, 40) for text in (0, 1, 16, 33, 64)]
    statuses = check(host, made * 4)
    ends = [status.status_cycle for status in statuses[len(made) - 1 :: len(made)]]
    assert [after - before for before, after in pairwise(ends)] == [tokens(made)] * 3


def test_a_new_key_at_every_message_costs_nothing(host, traffic):
    spent = []
    for slots in (lambda n: 0, lambda n: n % SLOTS):
        made = [traffic.one(None, 8, 64, slot=slots(number)) for number in range(24)]
        statuses = check(host, made)
        spent.append(statuses[-1].status_cycle - statuses[0].status_cycle)
    assert spent[0] == spent[1] == 23 * (1 + 4 + 1)


def test_the_message_after_every_kind_of_message(host, traffic):
    kinds = [(ad, text) for ad in (0, 5, 16) for text in (0, 5, 16, 40)]
    made = []
    for before in kinds:
        for after in kinds:
            made += [traffic.one(None, *before), traffic.one(None, *after)]
    check(host, made)


def test_every_alignment_of_the_last_beat(host, traffic):
    check(host, [traffic.one(None, ad, text) for ad in (0, 3) for text in range(34)])
    check(host, [traffic.one(None, ad, 5) for ad in range(34)])


def test_empty_associated_data_empty_text_and_both(host, traffic):
    check(host, [traffic.one(None, ad, text, decrypt=way) for ad in (0, 7) for text in (0, 7) for way in (False, True)])


def test_a_beat_without_bytes_may_end_associated_data(host, traffic):
    """A host that learns late that there is no text sends an empty beat."""
    sent, expected = traffic.one(None, 20, 0, decrypt=False)
    beats = [*[(data, keep, 0) for data, keep, _ in host.beats_of(sent)], (b"", 0, 1)]
    check(host, [(Sent(sent.nonce, sent.text, sent.ad, sent.slot, beats=beats), expected)])


def test_nonces_of_every_length(host, traffic):
    check(host, [traffic.one(length, 3, 20) for length in range(1, 17)])


def test_nonces_that_are_hashed_cost_cycles(host, traffic, compiled):
    """The cycles that docs and ``explain`` say."""
    made = [traffic.one(nonce_bytes, 0, 16) for nonce_bytes in (12, 8, 12, 8, 12)]
    statuses = check(host, made)
    ahead = compiled.explain()["starts"][1]["cycles_ahead"]
    assert statuses[-1].status_cycle - statuses[0].status_cycle == tokens(made[1:]) + 2 * ahead


def test_truncated_tags(host, traffic):
    check(host, [traffic.one(None, 5, 20, tag_bytes=n, decrypt=way) for n in GCM.tag_bytes for way in (False, True)])


@pytest.mark.parametrize("tag_bytes", GCM.tag_bytes)
def test_every_bit_of_a_tag_counts(host, traffic, tag_bytes):
    sent, expected = traffic.one(None, 5, 20, tag_bytes=tag_bytes, decrypt=True)
    made = []
    for bit in range(0, 8 * tag_bytes, 5):
        tag = bytearray(sent.tag)
        tag[bit // 8] ^= 1 << bit % 8
        wrong = Sent(sent.nonce, sent.text, sent.ad, sent.slot, True, bytes(tag), tag_bytes)
        made += [(wrong, type(expected)("WRONG_TAG", b"", expected.text)), (sent, expected)]
    check(host, made)


def test_latency(host, traffic, compiled):
    """From the first beat of text in to the first beat out, of a message that is alone."""
    sent, _ = traffic.one(None, 0, 16, decrypt=False)
    host.run([sent])
    first = host.runner.accepted("s_axis")[-1]
    assert host.text_cycles[0] - first == Stack(compiled).top.latency


# -- what a host does wrong ---------------------------------------------------------------------------------------------------


def full(count, last=True):
    """Whole beats."""
    return [(bytes(16), 0xFFFF, int(last and n == count - 1)) for n in range(count)]


WRONG = {
    "too short in the middle": (40, [*full(1)], "TOO_SHORT", None),
    "too short by some bytes": (20, [(bytes(16), 0xFFFF, 0), (bytes(3), 0x7, 1)], "TOO_SHORT", None),
    "empty packet": (20, [(b"", 0, 1)], "TOO_SHORT", None),
    "hole": (0, [(bytes(16), 0xFF7F, 1)], "BAD_KEEP", None),
    "first byte missing": (0, [(bytes(16), 0xFFFE, 1)], "BAD_KEEP", None),
    "partial beat in the middle of text": (0, [*full(2, False), (bytes(7), 0x7F, 0), *full(1)], "BAD_KEEP", 32),
    "beat without bytes in the middle of text": (0, [*full(1, False), (b"", 0, 0), *full(1)], "BAD_KEEP", 16),
    "beat without bytes behind text": (0, [*full(1, False), (b"", 0, 1)], "BAD_KEEP", 16),
    "partial beat in the middle of associated data": (40, [(bytes(9), 0x1FF, 0), *full(3)], "BAD_KEEP", None),
    "associated data and text in one beat": (20, [*full(3)], "BAD_KEEP", None),
    "hole at the end of text": (0, [*full(2, False), (bytes(16), 0x17, 1)], "BAD_KEEP", 32),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_with_a_packet(host, traffic, what):
    """It is told, the text that has left is cut off, and the next message is right."""
    associated, beats, code, text = WRONG[what]
    wrong = Sent(bytes(12), ad=bytes(associated), beats=beats)
    before, behind = traffic.one(None, 5, 40), traffic.one(None, 16, 33)
    statuses, packets = host.run([before[0], wrong, behind[0]])
    assert [got.code for got in statuses] == [before[1].code, code, behind[1].code]
    assert statuses[1].tag == bytes(16) and statuses[2].tag == behind[1].tag.ljust(16, b"\0")
    assert [packets[0], packets[-1]] == [(before[1].text, 0), (behind[1].text, 0)]
    assert [(len(data), cut) for data, cut in packets[1:-1]] == ([] if text is None else [(text, 1)])


COMMANDS = {
    "no key": ({"slot": SLOTS}, "NO_KEY"),
    "no slot": ({"slot": 65535}, "NO_KEY"),
    "no such tag": ({"tag_bytes": 5}, "BAD_TAG_LENGTH"),
    "no tag": ({"tag_bytes": 0}, "BAD_TAG_LENGTH"),
    "no nonce": ({"nonce": b""}, "BAD_NONCE_LENGTH"),
    "channel": ({"channel": 1}, "NO_CHANNEL"),
    "associated data beyond the mode's most": ({"associated": 1 << 61}, "TOO_LONG"),
    "several things": ({"slot": 77, "channel": 3, "tag_bytes": 3, "nonce": b""}, "BAD_NONCE_LENGTH"),
}


@pytest.mark.parametrize("what", COMMANDS)
def test_what_is_wrong_with_a_command(host, traffic, what):
    """Its packet, of any kind, is taken and forgotten, and nothing of it comes out."""
    fields, code = COMMANDS[what]
    wrong = [Sent(bytes(12), bytes(length), fields=fields) for length in (0, 16, 40)]
    wrong.append(Sent(bytes(12), beats=[(bytes(16), 0x5555, 0), (bytes(16), 0, 0), (bytes(3), 7, 1)], fields=fields))
    good = [traffic.one(None, 5, 40) for _ in wrong]
    statuses, packets = host.run([each for pair in zip(wrong, (sent for sent, _ in good), strict=True) for each in pair])
    assert [got.code for got in statuses[::2]] == [code] * len(wrong)
    assert all(got.tag == bytes(16) for got in statuses[::2])
    assert [got.code for got in statuses[1::2]] == [expected.code for _, expected in good]
    assert packets == [(expected.text, 0) for _, expected in good]


@pytest.mark.slow
def test_one_direction(keys, compiled):
    host = Host(compiled, replace(Stack(compiled).parameters, decrypt=False))
    host.key(keys[0])
    traffic = Traffic(GCM(), keys[:1], Random(1))
    good, refused = traffic.one(None, 5, 20, decrypt=False), traffic.one(None, 5, 20, decrypt=True)
    statuses, packets = host.run([good[0], refused[0], good[0]])
    assert [got.code for got in statuses] == ["OK", "NO_DIRECTION", "OK"]
    assert packets == [(good[1].text, 0)] * 2


@pytest.mark.parametrize("first", slowly(MOST - 3, (1 << 25) - 2, (1 << 28) - 2, (1 << 16) - 1))
def test_lengths_beyond_32_bits_and_the_most_text(compiled, keys, first):
    """The counter of text begins high, so that a message of 2^36 - 32 bytes is a few blocks long."""
    reference, cipher = golden.GCM(keys[0]), AES(keys[0])
    host = Host(compiled, replace(Stack(compiled).parameters, text_from=first))
    host.key(keys[0])
    text, nonce = bytes(range(48)), bytes(12)
    sent, longer = Sent(nonce, text), Sent(nonce, text + b"!")
    statuses, packets = host.run([sent, longer, sent])
    sealed = reference.seal(nonce, text)[:-16]
    bits = 8 * (16 * first + len(text))
    hashed = golden.gcm.ghash(cipher.encrypt_block(bytes(16)), sealed + bytes(8) + bits.to_bytes(8, "big"))
    tag = bytes(a ^ b for a, b in zip(hashed, cipher.encrypt_block(nonce + b"\0\0\0\1"), strict=True))
    refused = first == MOST - 3
    assert [got.code for got in statuses] == ["OK", "TOO_LONG" if refused else "OK", "OK"]
    assert statuses[0].tag == statuses[2].tag == tag
    assert packets[0] == packets[2] == (sealed, 0)
    assert packets[1] == (sealed, 1) if refused else len(packets[1][0]) == 49


@pytest.mark.parametrize("first", slowly((1 << 25) - 2, (1 << 28) - 1, (1 << 57) - 4, (1 << 16) - 1))
def test_associated_data_beyond_32_bits(compiled, keys, first):
    """The counter of associated data begins high, so that its 2^32 bits, or nearly the most of the standard, are a few blocks long."""
    cipher = AES(keys[0])
    host = Host(compiled, replace(Stack(compiled).parameters, associated_from=first))
    host.key(keys[0])
    text, nonce, made, expected = bytes(range(20)), bytes(12), [], []
    sealed = golden.GCM(keys[0]).seal(nonce, text)[:-16]
    for ad in (bytes(range(48)), bytes(range(37)), b"a"):
        length = 16 * first + len(ad)
        made.append(Sent(nonce, text, ad, fields={"associated": length}))
        bits = (8 * length).to_bytes(8, "big") + (8 * len(text)).to_bytes(8, "big")
        blocks = b"".join(part.ljust(-(-len(part) // 16) * 16, b"\0") for part in (ad, sealed))
        hashed = golden.gcm.ghash(cipher.encrypt_block(bytes(16)), blocks + bits)
        expected.append(bytes(a ^ b for a, b in zip(hashed, cipher.encrypt_block(nonce + b"\0\0\0\1"), strict=True)))
    # One that ends too early, among the others.
    short = Sent(nonce, b"", bytes(16), fields={"associated": 16 * first + 48})
    statuses, packets = host.run([*made, short, made[0]])
    assert [got.code for got in statuses] == ["OK"] * 3 + ["TOO_SHORT", "OK"]
    assert [got.tag for got in statuses] == [*expected, bytes(16), expected[0]]
    assert packets == [(sealed, 0)] * 4


# -- keys ---------------------------------------------------------------------------------------------------------------------


def test_a_key_is_loaded_while_others_work(fresh, traffic):
    """It takes cycles that messages leave free; the messages of other slots take as many cycles as without it."""
    new = bytes(range(16))
    spent = []
    for loading in (False, True):
        made = [traffic.one(None, 8, 100, slot=number % 3) for number in range(150)]
        if loading:
            fresh.key(new, 3, wait=False)
        statuses = check(fresh, made)
        spent.append(statuses[-1].status_cycle - statuses[0].status_cycle)
    assert spent[0] == spent[1]
    fresh.wait()
    other = Traffic(GCM(), [*(bytes(16) for _ in range(3)), new], Random(9))
    check(fresh, [other.one(None, 20, 50, slot=3) for _ in range(5)])


def test_a_key_is_replaced_behind_its_own_messages(fresh, traffic, keys):
    """Messages that were admitted under the old key end under it; later ones are refused until the new one is ready."""
    made = [traffic.one(None, 16, 200, slot=2) for _ in range(3)]
    fresh.feed([sent for sent, _ in made])
    fresh.runner.run(max_cycles=30)
    new = bytes(range(100, 116))
    fresh.key(new, 2, wait=False)
    fresh.runner.run({"m_axis_status": 3}, max_cycles=3000)
    fresh.wait()
    codes = [got.code for got in fresh.statuses()]
    texts = [text for text, _ in fresh.packets()]
    good = codes.index("NO_KEY") if "NO_KEY" in codes else 3
    assert good >= 1 and codes[good:] == ["NO_KEY"] * (3 - good)
    assert texts == [expected.text for _, expected in made[:good]]
    other = Traffic(GCM(), [keys[0], keys[1], new], Random(2))
    check(fresh, [other.one(None, 16, 50, slot=2) for _ in range(4)])


def test_an_erased_slot_is_refused(fresh, traffic):
    check(fresh, [traffic.one(None, 5, 20, slot=1)])
    fresh.key(b"\0", 1, erase=True)
    statuses, _ = fresh.run([traffic.one(None, 5, 20, slot=1)[0], traffic.one(None, 5, 20, slot=0, decrypt=False)[0]])
    assert [got.code for got in statuses] == ["NO_KEY", "OK"]


def test_a_key_of_another_length_is_refused(fresh, traffic):
    fresh.key(bytes(24), 1)
    assert fresh.sim.get("key_error") and fresh.sim.get("key_loaded") == 0b1101
    check(fresh, [traffic.one(None, 5, 20, slot=0)])


# -- resets -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["zeroize", "aresetn"])
def test_an_aborted_message_leaves_nothing(fresh, traffic, keys, how):
    """A message without its last beat, then a reset: nothing of it comes out, and the core works again with a new key."""
    for text in (16, 64, 200):
        sent, _ = traffic.one(None, 20, text)
        beats = [(data, keep, 0) for data, keep, _ in fresh.beats_of(sent)]
        fresh.feed([Sent(sent.nonce, sent.text, sent.ad, sent.slot, beats=beats)])
        fresh.runner.run(max_cycles=10 + text)
        fresh.sim.set(how, int(how == "zeroize"))
        fresh.runner.run(max_cycles=1)
        fresh.sim.set(how, int(how != "zeroize"))
        fresh.runner.forget()
        fresh.wait()
        assert not fresh.sim.get("key_loaded")
        fresh.runner.run(max_cycles=100)
        assert not fresh.statuses() and not fresh.packets()
        for slot, key in enumerate(keys):
            fresh.key(key, slot)
        check(fresh, [traffic.one(None, 20, text) for _ in range(3)])
