# SPDX-License-Identifier: Apache-2.0
"""Simulated cores whose blocks wait for the cipher of the one before: CCM and modes of the tests' own, with one channel and several."""

from random import Random

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESCCM
from tests.built import slow, slowly
from tests.golden.aead import ALIGNMENTS
from tests.streamed import OWN, simulated

from modeloom.definition.messages import StreamModel
from modeloom.interfaces.messages import MessageCode
from modeloom.modes.ccm import CCM
from modeloom.product.message import Message, MessageError
from modeloom.spec import InputError

ONE = {"key_bits": 128, "key_slots": 2, "cipher_stages": 1, "prove": False}
SEVERAL = {**ONE, "channels": 3}
TINY = {**SEVERAL, "cipher_arch": "multistream", "cipher_stages": None, "streams": 1}
"""Several channels around one round of the cipher; such a core is built in less time."""


def loaded(mode="ccm", seed=1, key_bytes=16, **options):
    """A core with keys in its slots, and a function that gives a message of it with what must come back."""
    core, rng = simulated(mode, **options), Random(seed)
    keys = [rng.randbytes(key_bytes) for _ in range(2)]
    definition = OWN[mode]() if mode in OWN else CCM()
    models = [StreamModel(definition, key) for key in keys]
    for slot, key in enumerate(keys):
        core.load_key(key, slot)

    def one(ad, text, channel=0):
        slot, tag_bytes = rng.randrange(2), rng.choice(definition.tag_bytes)
        nonce = rng.randbytes(rng.choice([n for lengths in definition.nonce_bytes for n in lengths]))
        ad, text = rng.randbytes(ad), rng.randbytes(text)
        sealed = (
            models[slot].seal(nonce, text, ad, tag_bytes) if mode in OWN else AESCCM(keys[slot], tag_bytes).encrypt(nonce, text, ad)
        )
        decrypt = rng.random() < 0.5
        return Message(nonce, sealed if decrypt else text, ad, decrypt, slot, tag_bytes, channel=channel), text if decrypt else sealed

    return core, one, rng


def check(core, made):
    assert core.run([message for message, _ in made]) == [wanted for _, wanted in made]


@pytest.mark.parametrize("options", [TINY, *slowly(SEVERAL, ONE, {**ONE, "cipher_cores": 2}, {**SEVERAL, "cipher_cores": 1})], ids=[
    "tiny", "several", "one", "one, two ciphers", "several, one cipher",
])  # fmt: skip
def test_the_cryptography_package_agrees(options):
    core, one, rng = loaded(**options)
    channels = core.description.channels
    check(core, [one(rng.choice((0, 14, rng.randrange(50))), rng.choice((0, 16, rng.randrange(70))), n % channels) for n in range(80)])


@pytest.mark.parametrize("lengths", [ALIGNMENTS[::97], *slowly(ALIGNMENTS)], ids=["sample", "all"])
@pytest.mark.parametrize("options", [TINY, *slowly(SEVERAL, ONE)], ids=["tiny", "several", "one"])
def test_alignments(options, lengths):
    core, one, _ = loaded(seed=2, **options)
    channels = core.description.channels
    for at in range(0, len(lengths), 200):
        check(core, [one(ad, text, n % channels) for n, (ad, text) in enumerate(lengths[at : at + 200])])


@pytest.mark.parametrize("count", slowly(10_000))
def test_many_random_messages(count):
    core, one, rng = loaded(seed=3, **SEVERAL)
    for _ in range(count // 200):
        check(core, [one(rng.randrange(100), rng.randrange(200), n % 3) for n in range(200)])


@pytest.mark.parametrize("ad", slowly(65_279, 65_280, 65_281))
def test_longer_encodings_of_lengths(ad):
    core, one, _ = loaded(seed=ad, **ONE)
    check(core, [one(ad, 5), one(3, 40)])


@pytest.mark.parametrize(("mode", "options"), [
    *slowly(
        ("wide-chain", ONE), ("wide-chain", SEVERAL), ("wide-chain", {**SEVERAL, "cipher_cores": 1}), ("chain-from-zero", ONE),
        ("chain-from-zero", SEVERAL),
    ),
])  # fmt: skip
def test_modes_of_the_tests_own(mode, options):
    wide = mode == "wide-chain"
    options = {**options, "key_bits": 256 if wide else 128}
    core, one, rng = loaded(mode, key_bytes=32 if wide else 16, **options)
    channels = core.description.channels
    check(core, [one(rng.choice((0, rng.randrange(150))), rng.choice((0, rng.randrange(200))), n % channels) for n in range(80)])


@pytest.mark.parametrize("more", [
    *slowly({"hold": 64}, {"keys": "inline", "key_slots": 4}, {"keys": "expanded"}, {"direction": "decrypt"}),
], ids=str)  # fmt: skip
def test_other_options(more):
    rng, options = Random(7), {**ONE, **more}
    core = simulated(**{"mode": "ccm", **options})
    key, made = rng.randbytes(16), []
    core.load_key(key)
    for number in range(30):
        nonce, ad, text = rng.randbytes(13), rng.randbytes(rng.randrange(40)), rng.randbytes(rng.randrange(60))
        sealed = AESCCM(key).encrypt(nonce, text, ad)
        decrypt = number % 2 == 1 or core.description.directions == ("decrypt",)
        made.append((Message(nonce, sealed if decrypt else text, ad, decrypt), text if decrypt else sealed))
    check(core, made)
    if core.description.hold:
        with pytest.raises(MessageError, match="TOO_LONG_TO_HOLD"):
            core.open(nonce, AESCCM(key).encrypt(nonce, bytes(65), None))


def test_wrong_tags():
    core, one, _ = loaded(seed=5, **TINY)
    key = bytes(range(16))
    core.load_key(key)
    sealed = AESCCM(key, 8).encrypt(bytes(13), bytes(40), b"header")
    cases = [(n, bytes(byte ^ (at == n) for at, byte in enumerate(sealed)), b"header") for n in range(0, len(sealed), 3)]
    cases += [(-1, sealed, b"header\0"), (-2, sealed[1:], b"header"), (-3, sealed, b"")]
    outcomes = core.outcomes([Message(bytes(13), data, ad, True, 0, 8, channel=n % 3) for n, (_, data, ad) in enumerate(cases)])
    assert {outcome.code for outcome in outcomes} == {MessageCode.WRONG_TAG}
    assert core.open(bytes(13), sealed, b"header", tag_bytes=8) == bytes(40)


def test_too_much_text_for_the_nonce():
    core, _, _ = loaded(**TINY)
    with pytest.raises(InputError, match="^ccm: a message with a nonce of 13 bytes has at most 65535 bytes of text, not 65536$"):
        core.seal(bytes(13), bytes(65_536))


@slow
def test_a_lone_channel_takes_its_turns():
    """The distance of messages is that of core.json, whatever came before."""
    core, one, _ = loaded(**ONE)
    d, made = core.description, [one(20, 40) for _ in range(12)]
    check(core, made)
    steps = {b - a for a, b in zip(core.status_cycles, core.status_cycles[1:])}
    # Two blocks of associated data with their prefix, and three of text.
    assert steps == {d.cycles_of(20, 40)} == {2 * d.cycles.associated + 3 * d.cycles.text + d.cycles.tag}


def cycles_of_channels(channels, **options):
    """Cycles of a token, where channels with equal messages alternate."""
    core, one, _ = loaded(channels=channels, **{**ONE, **options})
    rounds, made = 6, []
    for _ in range(rounds):
        made += [one(30, 160, channel) for channel in range(channels)]
    check(core, made)
    tokens = core.description.tokens_of(30, 160)
    return (core.status_cycles[-1] - core.input_cycles[0]) / (rounds * channels * tokens), core.description.explain.turn


@slow
def test_as_many_channels_as_the_cipher_has_cycles_fill_the_pipeline():
    few, turn = cycles_of_channels(4)
    many, _ = cycles_of_channels(turn)
    # Beside the cycles at the ends, a token takes a cycle if there are as many channels as cycles of a turn.
    assert turn == 12 and few == pytest.approx(turn / 4, rel=0.06) and many == pytest.approx(1, rel=0.06)
