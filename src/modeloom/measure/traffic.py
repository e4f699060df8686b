# SPDX-License-Identifier: Apache-2.0
"""The measurement of ``modeloom traffic``.  It sends packets through a simulated core and compares each output.

Each packet uses another key slot than the one before.  A packet takes the cycles from its first beat in to the first beat of the
next packet.  Cycles in which none of its blocks enters are lost::

    packet      f = bytes / bytes of a beat          its cycles = beats + lost
    as gcm2008  mean over the packets of f / (f + lost)                    equation 4.1 there
    of peak     bytes of all packets / (cycles of all packets × bytes of a beat)

In a core with several channels whose blocks wait for the cipher of the one before, packets are of all channels by turns, and their beats
interleave.  The cycles are then those from the first beat in to the last status, and those in which no block enters are lost to all packets
together.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESCCM, AESGCM, AESGCMSIV, AESOCB3

from modeloom.definition.messages import StreamModel
from modeloom.emit import CheckFailed
from modeloom.interfaces.messages import MessageCode
from modeloom.modes import find_any
from modeloom.product.message import Message, Outcome
from modeloom.product.messages import StreamDescription
from modeloom.product.simulated_lwc import SimulatedLwcCore
from modeloom.product.simulated_messages import SimulatedStreamCore
from modeloom.spec import InputError, UnknownName
from modeloom.spec.errors import AuthenticationError
from modeloom.spec.stream import StreamMode

__all__ = ["MIXES", "SCHEMA", "Mix", "Oracle", "Size", "find_mix", "measure_traffic", "oracle_of"]

# Mixes of packets: the sizes of packets, and the share of each size.
#
# A mix has a name or comes from a file:
#
#     gcm2008     1500 bytes: 12 of 20     576: 4     552: 3     44: 1
#     a file      a line for each size: bytes, share, and bytes of associated data if they differ from the command line

MOST_BYTES = 1 << 24
"""Largest number of bytes of a packet in a file."""


@dataclass(frozen=True)
class Size:
    """Packets of one size.

    Attributes
    ----------
    nbytes : int
        Number of bytes of a packet, which are those of associated data and text together.
    share : int
        Number of packets of this size in a round.
    associated : int or None
        Number of bytes of associated data, or None for the number on the command line.
    """

    nbytes: int
    share: int
    associated: int | None = None


@dataclass(frozen=True)
class Mix:
    """Sizes of packets.

    Attributes
    ----------
    name : str
        The name of the mix, or the path of its file.
    sizes : tuple of Size
        The sizes with their shares.
    source : str
        The publication or the file that the shares come from.
    """

    name: str
    sizes: tuple[Size, ...]
    source: str

    @property
    def round(self) -> int:
        """The number of packets after which the shares are exact."""
        return sum(size.share for size in self.sizes)

    def packets(self, count: int, rng: random.Random) -> Iterator[Size]:
        """The sizes of ``count`` packets.  In every round the shares are exact, and the order is random."""
        deck: list[Size] = []
        for _ in range(count):
            if not deck:
                deck = [size for size in self.sizes for _ in range(size.share)]
                rng.shuffle(deck)
            yield deck.pop()


MIXES = {
    mix.name: mix
    for mix in (
        Mix(
            "gcm2008", (Size(1500, 12), Size(576, 4), Size(552, 3), Size(44, 1)),
            "gcm2008, section 4.4: the Internet Performance Index of McGrew and Viega",
        ),
        Mix("imix", (Size(40, 7), Size(576, 4), Size(1500, 1)), "simple IMIX, bytes of IP packets"),
        Mix("64", (Size(64, 1),), "64 bytes only"),
        Mix("jumbo", (Size(9000, 1),), "9000 bytes only"),
    )
}  # fmt: skip
"""The mixes with names."""


def find_mix(name: str) -> Mix:
    """A mix by its name, or from a file.

    Raises
    ------
    UnknownName
        If there is neither a mix nor a file of this name.
    InputError
        If the file does not have the form above.
    """
    if name in MIXES:
        return MIXES[name]
    path = Path(name)
    if not path.is_file():
        raise UnknownName("mix", name, MIXES)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read the mix {name}: {getattr(error, 'strerror', None) or 'it is not text'}") from None
    sizes = []
    for number, line in enumerate(lines, 1):
        fields = line.partition("#")[0].replace(",", " ").split()
        if fields:
            sizes.append(_size(name, number, fields))
    if not sizes:
        raise InputError(f"the mix {name} has no sizes; give a line for each: bytes, share, and optionally bytes of associated data")
    return Mix(path.name, tuple(sizes), str(path))


def _size(name: str, number: int, fields: list[str]) -> Size:
    where = f"the mix {name}, line {number}"
    if not 2 <= len(fields) <= 3 or not all(field.isascii() and field.isdigit() for field in fields):
        raise InputError(f"{where}: give bytes, share, and optionally bytes of associated data, as whole numbers")
    nbytes, share, *more = map(int, fields)
    associated = more[0] if more else None
    if not 0 <= nbytes <= MOST_BYTES:
        raise InputError(f"{where}: a packet has at most {MOST_BYTES} bytes, not {nbytes}")
    if not 1 <= share <= 10_000:
        raise InputError(f"{where}: a share is from 1 to 10000, not {share}")
    if associated is not None and associated > nbytes:
        raise InputError(f"{where}: {associated} bytes of associated data do not fit into a packet of {nbytes}")
    return Size(nbytes, share, associated)


# -- traffic -----------------------------------------------------------------------------------------------------------------------

SCHEMA = "modeloom-traffic-1"

PACKAGE_TAG = 16
"""Bytes of the tags of OCB3 and GCM-SIV in the ``cryptography`` package."""

T = TypeVar("T")


class Oracle(Protocol):
    """The reference that a core is compared with."""

    def seal(self, nonce: bytes, text: bytes, ad: bytes, tag_bytes: int) -> bytes: ...
    def open(self, nonce: bytes, sealed: bytes, ad: bytes, tag_bytes: int) -> bytes: ...


class _Package:
    """A mode of the ``cryptography`` package: what makes it of a key and the bytes of a tag, 16 if there is no other."""

    def __init__(self, make: Callable[[bytes, int], AESCCM | AESGCM | AESGCMSIV | AESOCB3], key: bytes):
        self._made = partial(make, key)

    def seal(self, nonce: bytes, text: bytes, ad: bytes, tag_bytes: int) -> bytes:
        return self._made(tag_bytes).encrypt(nonce, text, ad)

    def open(self, nonce: bytes, sealed: bytes, ad: bytes, tag_bytes: int) -> bytes:
        try:
            return self._made(tag_bytes).decrypt(nonce, sealed, ad)
        except InvalidTag:
            raise AuthenticationError("the tag is wrong") from None


class _PackageGCM(_Package):
    """GCM of the package, for nonces of 8 bytes and more.  Shorter tags are cut off."""

    def seal(self, nonce: bytes, text: bytes, ad: bytes, tag_bytes: int) -> bytes:
        return super().seal(nonce, text, ad, tag_bytes)[: len(text) + tag_bytes]

    def open(self, nonce: bytes, sealed: bytes, ad: bytes, tag_bytes: int) -> bytes:
        text = sealed[: len(sealed) - tag_bytes]
        # Counter mode is its own inverse, so sealing the ciphertext gives the text.
        plain = self.seal(nonce, text, ad, 0)
        if self.seal(nonce, plain, ad, tag_bytes) != sealed:
            raise AuthenticationError("the tag is wrong")
        return plain


def _whole(make: Callable[[bytes], T]) -> Callable[[bytes, int], T]:
    """What makes a mode with tags of 16 bytes only.  Raises ``ValueError`` for others."""

    def made(key: bytes, tag_bytes: int) -> T:
        if tag_bytes != PACKAGE_TAG:
            raise ValueError(f"the package has tags of {PACKAGE_TAG} bytes, not {tag_bytes}")
        return make(key)

    return made


PACKAGE: dict[str, Callable[[bytes], Oracle]] = {
    "ccm": partial(_Package, AESCCM), "gcm": partial(_PackageGCM, lambda key, _: AESGCM(key)),
    "gcm-siv": partial(_Package, _whole(AESGCMSIV)), "ocb3": partial(_Package, _whole(AESOCB3)),
}  # fmt: skip
"""The modes that the ``cryptography`` package has on AES."""


def oracle_of(d: StreamDescription, folder: str | Path) -> tuple[Callable[[bytes], Oracle], str]:
    """A function that makes the oracle for a key, and the name of the oracle.

    The oracle is the ``cryptography`` package for modes that it has, and the software model for other modes.
    """
    if d.definition in PACKAGE and d.cipher == "aes":
        return PACKAGE[d.definition], "the cryptography package"
    mode = find_any(d.definition, folder)
    if not isinstance(mode, StreamMode):
        raise InputError(f"{d.definition} is a mode for sectors, but core.json is of a core for messages; build the core again")
    return lambda key: StreamModel(mode, key, d.cipher), "the software model"


def measure_traffic(
    core: SimulatedStreamCore | SimulatedLwcCore, folder: str | Path, mix: Mix, *, packets: int = 1000, seed: int = 1, associated: int = 0,
    slots: int | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Runs packets back to back, and returns the figures of ``modeloom traffic --json``.

    Parameters
    ----------
    core : SimulatedStreamCore
        The core, on whose buses there are no gaps.
    folder : path
        The folder of the core.
    mix : Mix
        The sizes of packets with their shares.
    packets : int
        Number of packets that are measured.
    seed : int
        Seed of keys, data, directions, and the order of sizes.
    associated : int
        Number of bytes of associated data in a packet, if the mix does not say it.  A shorter packet has associated data only.
    slots : int, optional
        Number of key slots that packets use in turn.  The default is all slots.

    Raises
    ------
    InputError
        If a number is out of its range.
    CheckFailed
        If a result of the core differs from the oracle.
    """
    d = core.description
    count = d.key_source.used(packets + 2, slots)
    if packets < 1:
        raise InputError(f"the number of packets must be at least 1, not {packets}")
    if associated < 0:
        raise InputError(f"the bytes of associated data must be at least 0, not {associated}")
    rng = random.Random(f"traffic {seed}")
    make, name = oracle_of(d, folder)
    lengths = d.user_key_lengths
    keys = [rng.randbytes(lengths[slot % len(lengths)]) for slot in range(count)]
    for slot, key in enumerate(d.key_source.loaded(keys)):
        core.load_key(key, slot)
    oracles = [make(key) for key in keys]
    alternate = d.explain.turn is not None and d.channels > 1
    messages, wanted = [], []
    tag_bytes = d.tag_bytes[0]
    # There is one packet more at either end.  The first one fills the core, and the last one shows where the one before it ends.
    sizes = list(mix.packets(packets, rng))
    for number, size in enumerate([sizes[-1], *sizes, sizes[0]]):
        header = min(size.nbytes, associated if size.associated is None else size.associated)
        ad, text = rng.randbytes(header), rng.randbytes(size.nbytes - header)
        nonce, slot = rng.randbytes(d.nonces[0]), number % count
        decrypt = d.ways[rng.randrange(len(d.ways))]
        sealed = oracles[slot].seal(nonce, text, ad, tag_bytes)
        # With two passes, each pass is a packet.
        data, out = {**d.passes.sent(text, sealed[: len(text)], sealed[len(text) :]), 1: (sealed, text)}[decrypt]
        named, brought = d.key_source.brings(slot, d.message_key(folder, keys[slot], nonce))
        messages.append(Message(nonce, data, ad, decrypt, named, key=brought, channel=number % d.channels if alternate else 0))
        wanted.append(out)
    given = core.outcomes(messages)
    _compare(messages, given, wanted, name)
    return {
        "schema": SCHEMA, "mode": d.mode, "mix": mix.name, "packets": packets, "seed": seed, "associated_bytes": associated,
        "key_slots": d.key_source.slots_of(count), "blocks_per_cycle": d.blocks_per_cycle, "oracle": name,
        **(
            _alternating(d, messages, core.status_cycles[-1] - core.input_cycles[0], tag_bytes) if alternate
            else _figures(d, messages, core.input_cycles, packets, tag_bytes)
        ),
    }  # fmt: skip


def _compare(messages: Sequence[Message], given: Sequence[Outcome], wanted: Sequence[bytes], name: str) -> None:
    for number, (message, outcome, right) in enumerate(zip(messages, given, wanted, strict=True)):
        what = f"packet {number} ({len(message.ad)} bytes of associated data, slot {message.slot})"
        if outcome.code != MessageCode.OK:
            raise CheckFailed(f"traffic: {what} has the status {outcome.code.name}")
        if outcome.text + outcome.tag != right:
            raise CheckFailed(f"traffic: {what} differs from {name}")


def _figures(d: StreamDescription, messages: Sequence[Message], cycles: Sequence[int], packets: int, tag_bytes: int) -> dict[str, object]:
    """Bytes, cycles and percentages.  ``cycles`` has the cycle of each beat in."""
    # Cycles of a beat at the peak.  With a cadence, packets begin some cycles early or late within a batch.
    pace = d.entry.cycles_a_block
    starts, beats, at = [], [], 0
    sizes = [(len(m.ad), len(m.data) - (tag_bytes if m.decrypt else 0)) for m in messages]
    for (associated, text), message in zip(sizes, messages, strict=True):
        starts.append(cycles[at])
        # Cycles in which blocks enter.
        beats.append(sum(-(-part // d.beat_bytes) for part in (associated, text)))
        at += d.beats(associated, text, tag_bytes if message.decrypt else 0)
    shares = []
    for number in range(1, packets + 1):
        whole = sum(sizes[number]) / d.beat_bytes
        lost = d.entry.lost((starts[number + 1] - starts[number]) / pace - beats[number])
        shares.append(whole / (whole + lost) if whole + lost else 0.0)
    nbytes, total = sum(map(sum, sizes[1:-1])), starts[-1] - starts[1]
    lost = total - sum(d.cycles_of(*size) for size in sizes[1:-1])
    return {
        **({"cycles_lost_per_key": round(lost / packets, 2)} if d.key_source.costs else {}),
        "bytes": nbytes, "cycles": total, "percent_of_peak": round(100 * nbytes / total / d.beat_bytes * pace, 2),
        "percent_as_gcm2008": round(100 * sum(shares) / packets, 2),
    }  # fmt: skip


def _alternating(d: StreamDescription, messages: Sequence[Message], cycles: int, tag_bytes: int) -> dict[str, object]:
    """Bytes, cycles and percentages of packets that interleave, of all together."""
    sizes = [(len(m.ad), len(m.data) - (tag_bytes if m.decrypt else 0)) for m in messages]
    nbytes = sum(map(sum, sizes))
    whole, lost = nbytes / d.beat_bytes, cycles - sum(-(-part // d.beat_bytes) for size in sizes for part in size)
    return {
        "bytes": nbytes, "cycles": cycles, "percent_of_peak": round(100 * nbytes / cycles / d.beat_bytes, 2),
        "percent_as_gcm2008": round(100 * whole / (whole + lost), 2),
    }  # fmt: skip
