# SPDX-License-Identifier: Apache-2.0
"""Keys of symbols for a core for messages, and the words that set-up and key schedule must make of them.

The function of the key schedule is not checked here.  It is only checked that it does the same for each slot and after every key, and that
nothing else in the key packet affects it.  The round keys of a reference are the expected ones everywhere: another run, in which all keys
go to the first slot, in the opposite order, and with other words beside the cipher key.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import xor

from modeloom.equivalence import lanes
from modeloom.equivalence.circuit import CircuitError
from modeloom.equivalence.cores import cipher_result
from modeloom.equivalence.host import Host
from modeloom.equivalence.lanes import ONE
from modeloom.equivalence.stream.core import DERIVED_KEY, SymbolicMessageCore
from modeloom.equivalence.stream.messages import Packets, Planned, Symbols
from modeloom.equivalence.stream.words import KeyWords, TokenWords, key_words
from modeloom.interfaces.shared import KEY_BEAT_BYTES
from modeloom.layers.layer import Derivers
from modeloom.rtl.bus.ports import ordered_key_beat
from modeloom.spec.kinds import ENC
from modeloom.streams.derive import Derivation
from modeloom.streams.prove import Message
from modeloom.streams.steps import Form

__all__ = ["InlineKeys", "Loaded", "MessageKeys", "keys_of"]


@dataclass(frozen=True)
class Loaded:
    """A key: its name, its packet as a word with its number of bytes, and what the core makes of it."""

    name: str
    packet: int
    nbytes: int
    words: KeyWords


SLOTS = 3
"""Largest number of key slots that are used."""

KEYS = 7
"""Keys that come with messages, by turns.  No power of two is a multiple of it, so a slot of the ring has another key each time."""

NEW_KEYS = 0.6
"""Share of messages that bring a key, if keys come with messages."""


class MessageKeys:
    """Makes keys for a core, and says which of them messages have: those in the slots that they name.

    Parameters
    ----------
    core : SymbolicMessageCore
    """

    places = 0
    """Places of a ring of keys, each of which must have had a message."""
    replaced = "gaps"
    """The run in which a key is replaced."""
    faults: tuple[str, ...] = ()
    """What can be wrong with the key of a message."""

    def __init__(self, core: SymbolicMessageCore):
        self.core, self.description = core, core.description
        self.most = 4 * (core.description.key_erase_cycles + 60 * core.rounds + len(core.plan.words) * core.plan.placed.depth) + 400

    @property
    def numbers(self) -> list[int]:
        """The slots that are used, or the numbers of keys that come with messages."""
        slots = self.description.key_slots
        count = min(SLOTS, slots)
        return sorted({place * (slots - 1) // max(1, count - 1) for place in range(count)})

    def next(self, number: int, faulty: bool, rng: random.Random) -> tuple[int, bool]:
        """The slot of the message with a number, or the number of its key and whether it comes with it.  ``faulty`` says that it must be
        wrong."""
        slots = self.numbers
        return slots[number * 5 // 3 % len(slots)], False

    def begun(self, planned: Sequence[Planned], begins: set[int]) -> Sequence[Planned]:
        """Messages, of which some begin when there is no key."""
        return planned

    def packet(self, name: str, others: str, size: int) -> tuple[int, int]:
        """A key packet as a word, and its bytes, for a key of ``size`` bytes.

        The cipher key is named by ``name``.  The other parts, and what is sent behind the end, are named by ``others``.
        """
        d = self.description
        if d.packet_bytes is None:
            word, end = 0, size
            for part in d.key_layout:
                nbytes = min(part.bytes, size - part.offset)
                word |= self.part(name if self._is_cipher(part.name) else others, part.name, nbytes) << 8 * part.offset * lanes.LANES
        else:
            word, end = 0, 0
            for part in d.key_layout:
                keyed = self._is_cipher(part.name)
                each = self.core.round_key_bytes if keyed else part.bytes
                for n in range(self.core.rounds if keyed else 1):
                    text = self.part(f"{name} round key {n}" if keyed else others, part.name, each)
                    word |= text << 8 * end * lanes.LANES
                    beyond = -each % KEY_BEAT_BYTES
                    word |= lanes.atom(f"beyond {others} {part.name} {n}", 8 * beyond) << 8 * (end + each) * lanes.LANES
                    end += each + beyond
        behind = lanes.atom(f"behind {others}", 8 * KEY_BEAT_BYTES)
        return word | behind << 8 * end * lanes.LANES, end

    def part(self, name: str, part: str, nbytes: int) -> int:
        """The symbols of a part of a key."""
        return lanes.atom(f"key {name} {part}", 8 * nbytes)

    def _is_cipher(self, part: str) -> bool:
        return part in self.core.plan.mode.cipher_keys

    def make(self, wanted: Sequence[tuple[str, int]]) -> list[Loaded]:
        """Keys with these names and numbers of bytes."""
        host: Host | None = None
        names: dict[str, dict[str, int]] = {}
        for name, size in reversed(wanted):
            host = self.first_slot(host)
            self.load(host, *self.packet(name, f"other {name}", size), 0)
            names[name] = self.held(host, 0)
        result = []
        for name, size in wanted:
            raw = {
                part.name: self.part(name, part.name, part.bytes) for part in self.description.key_layout
                if not self._is_cipher(part.name)
            }  # fmt: skip
            result.append(Loaded(name, *self.packet(name, name, size), self.words(names[name], raw)))
        return result

    def first_slot(self, host: Host | None) -> Host:
        """A host whose next key comes to the first slot."""
        return host or self.core.host()

    def held(self, host: Host, slot: int) -> dict[str, int]:
        """Names of the round keys of a slot."""
        return self.core.round_keys(host.run, slot)

    def words(self, names: dict[str, int], raw: dict[str, int]) -> KeyWords:
        """What set-up makes of a key: of the names of its round keys, and of its other parts."""
        return key_words(self.core.plan, names, raw)

    def named(self, symbols: Symbols, number: int) -> Symbols:
        """The symbols of the message with this number, with another nonce if keys depend on it."""
        return symbols

    def of_message(self, key: Loaded, planned: Planned, symbols: Symbols) -> KeyWords:
        """The key of a message: that of its slot."""
        return key.words

    def send(self, host: Host, packet: int, nbytes: int, slot: int) -> None:
        """Queues a key packet."""
        host.packet("s_axis_key", packet, nbytes, KEY_BEAT_BYTES, tuser=0, tdest=slot)

    def start(self, host: Host, keys: Mapping[int, Loaded]) -> None:
        """Loads the keys that are there before all messages."""
        for slot, key in keys.items():
            self.load(host, key.packet, key.nbytes, slot)
            self.check(host, key, slot)

    def in_use(self, slots: Collection[int], slot: int) -> bool:
        """Whether a slot cannot have another key while messages of these slots are in flight."""
        return slot in slots

    def replace(self, host: Host, key: Loaded, slot: int) -> Iterator[Callable[[], bool]]:
        """Gives a slot another key.  Yields conditions, while each of which the caller runs the host."""
        self.send(host, key.packet, key.nbytes, slot)
        yield lambda: bool(host.waiting["s_axis_key"])
        taken = host.run.cycle
        yield lambda: host.run.cycle < taken + 2
        yield lambda: not self.loaded(host, slot)
        self.check(host, key, slot)

    def others(self, keys: Mapping[int, Loaded], slot: int) -> dict[int, KeyWords]:
        """The keys that a message has by mistake if its slot is taken for another one."""
        return {other: key.words for other, key in keys.items() if other != slot}

    def load(self, host: Host, packet: int, nbytes: int, slot: int) -> None:
        """Loads a key and waits until it is ready."""
        self.send(host, packet, nbytes, slot)
        if not host.until(lambda: self.loaded(host, slot), self.most):
            raise CircuitError(f"slot {slot} is not loaded after {self.most} cycles")

    def loaded(self, host: Host, slot: int) -> bool:
        """Whether all key packets have been taken and a slot has a key."""
        return not host.waiting["s_axis_key"] and host.has_key(slot)

    def check(self, host: Host, key: Loaded, slot: int) -> None:
        """Raises ``CircuitError`` unless the ciphers hold the round keys of this key."""
        if self.held(host, slot) != key.words.round_keys:
            raise CircuitError(f"key slot {slot}: the round keys are not those of its key")


class InlineKeys(MessageKeys):
    """The keys of a core whose keys come with the messages: they have numbers in place of slots."""

    replaced = "whole"
    faults = ("key",)

    def __init__(self, core: SymbolicMessageCore):
        super().__init__(core)
        self.turns, self.refused = 0, False

    @property
    def numbers(self) -> list[int]:
        """The numbers of keys."""
        return list(range(KEYS))

    def next(self, number: int, faulty: bool, rng: random.Random) -> tuple[int, bool]:
        """A key with or without a new one.  A message with a key that is none, and one behind it without a key, have none."""
        new = not faulty if self.refused else faulty or rng.random() < NEW_KEYS
        self.turns, self.refused = self.turns + new, faulty
        return self.numbers[self.turns % len(self.numbers)], new

    def begun(self, planned: Sequence[Planned], begins: set[int]) -> Sequence[Planned]:
        """These messages bring a key."""
        return [replace(each, new_key=True) if n in begins else each for n, each in enumerate(planned)]

    def first_slot(self, host: Host | None) -> Host:
        """A key has the first slot behind a reset."""
        return self.core.host()

    def start(self, host: Host, keys: Mapping[int, Loaded]) -> None:
        """Loads nothing: messages bring their keys."""

    def in_use(self, slots: Collection[int], slot: int) -> bool:
        """A key is dropped when all messages are done."""
        return bool(slots)

    def replace(self, host: Host, key: Loaded, slot: int) -> Iterator[Callable[[], bool]]:
        """Drops the key that came last, so that the next message brings this one."""
        host.packet("s_axis_key", lanes.atom("drop", 8 * KEY_BEAT_BYTES), 1, KEY_BEAT_BYTES, tuser=1)
        host.step()
        if not host.until(lambda: not host.waiting["s_axis_key"] and not host.run.flag("key_busy"), self.most):
            raise CircuitError(f"a key is not dropped after {self.most} cycles")
        yield from ()


# -- derived -----------------------------------------------------------------------------------------------------------------------

# Keys of messages that a core derives of master keys, as words of symbols.
#
#     master key, nonce ──calls and sums of the definition──▶ key of the message ──▶ parts of the key memory
#                                                                 │
#                                       a core alone with this message: the stream of derived keys has this key,
#                                       and what its ciphers then hold are the round keys of the key
#
# The calls and the sums are proved to be those of the definition when the core is compiled (``streams.derive``).  The function of both key
# schedules is any function, as in ``keys``: a message in traffic must have the round keys that it has when it is alone, in the first slot.

SETTLED = 24
"""Cycles without a new round key after which the key schedule is done.  Names that are read before are not those of the traffic."""


class DerivedKeys(MessageKeys):
    """Makes master keys for a core, and the keys of messages.

    Parameters
    ----------
    core : SymbolicMessageCore
    derived : Derivers
        The sizes of the part that derives keys.
    """

    def __init__(self, core: SymbolicMessageCore, derived: Derivers):
        super().__init__(core)
        self.derivations, self.places = derived.derivations, derived.messages.keys.slots
        self._ready: dict[str, Host] = {}
        self._known: dict[tuple[str, int], KeyWords] = {}
        self.nonces = 1 + 4 * (1 + self.places)

    def _is_cipher(self, part: str) -> bool:
        return True

    def held(self, host: Host, slot: int) -> dict[str, int]:
        """The round keys of a master key."""
        return self.core.round_keys(host.run, slot, master=True)

    def words(self, names: dict[str, int], raw: dict[str, int]) -> KeyWords:
        """A master key has no words of its own."""
        return KeyWords(names, {})

    def named(self, symbols: Symbols, number: int) -> Symbols:
        """Nonces take turns, in several times as many messages as the ring has places: no key that is still there has the same one."""
        width = 8 * self.description.nonces[0]
        return replace(symbols, nonce=lanes.atom(f"nonce {number % self.nonces}", width))

    def of_message(self, key: Loaded, planned: Planned, symbols: Symbols) -> KeyWords:
        """The key of a message under a master key.

        Raises ``CircuitError`` if the core derives another one.
        """
        place = key.name, symbols.nonce
        if place not in self._known:
            self._known[place] = self._of_nonce(key, planned, symbols)
        return self._known[place]

    def _of_nonce(self, key: Loaded, planned: Planned, symbols: Symbols) -> KeyWords:
        derivation = self.derivations[self.description.key_lengths.index(key.nbytes)]
        packet = self._derived(derivation, key.words, symbols.nonce)
        names = self._alone(key, planned, symbols, derivation, packet)
        mode, raw, at = self.core.plan.mode, {}, 0
        for part in mode.key_parts:
            nbytes = mode.part_bytes(part, key.nbytes)
            if part not in mode.cipher_keys:
                raw[part] = packet >> 8 * at * lanes.LANES & lanes.mask(8 * nbytes)
            at += nbytes
        return key_words(self.core.plan, names, raw)

    def others(self, keys: Mapping[int, Loaded], slot: int) -> dict[int, KeyWords]:
        """A message has the key of no slot."""
        return {}

    def _derived(self, derivation: Derivation, master: KeyWords, nonce: int) -> int:
        """The key of a message as one word."""
        plan, width = self.core.plan, self.core.width
        algebra = TokenWords(plan, {})

        def value(form: Form, results: list[int]) -> int:
            values = []
            for term in form:
                kind, what = term.source
                number = what if isinstance(what, int) else 0
                word = algebra.const(number) if kind == "const" else nonce if kind == "nonce" else results[number]
                values.append(reduce(lambda word, wire: algebra.wire(wire, word, 0), term.maps, word))
            return reduce(xor, values, 0)

        enc = ENC.operation.name
        results = [cipher_result(enc, master.round_keys[enc], (value(form, []),), width) for form in derivation.operands]
        blocks = [value(form, results) for form in derivation.blocks]
        return sum(block << n * width * lanes.LANES for n, block in enumerate(blocks)) & lanes.mask(8 * derivation.nbytes)

    def _alone(self, key: Loaded, planned: Planned, symbols: Symbols, derivation: Derivation, wanted: int) -> dict[str, int]:
        """Names of the round keys of a message that is alone in a core, whose derived key must be this one."""
        core, d = self.core, self.description
        if key.name not in self._ready:
            self._ready[key.name] = ready = core.host()
            self.load(ready, key.packet, key.nbytes, 0)
        # Runs share the circuit, which does not change.
        host = copy.deepcopy(self._ready[key.name], {id(core.circuit): core.circuit})
        # Its packet does not come, so that the key stays, unless the core stores a message before it derives the key.
        given = d.way_of(planned.message.direction)
        way = next((way for way in (given, *d.ways) if not d.stored(way)), given)
        message = Message(0, planned.message.nonce_class, d.step_of(way), planned.message.nonce, d.beat_bytes, 0)
        alone, packets = Planned(message, d.tag_bytes[0]), Packets(d)
        own = Symbols(symbols.nonce, lanes.atom("associated data alone", 8 * d.beat_bytes), 0)
        host.waiting["s_axis_cmd"].append(packets.command(0, alone, own, 0, f"alone {key.name}"))
        if d.stored(way):
            host.waiting["s_axis"].extend(packets.beats(alone, own, 0, f"alone {key.name}"))
        fields, beats = ordered_key_beat(), list[int]()

        def watch() -> None:
            word = host.run.output(f"{DERIVED_KEY}_payload")
            data, erases = (word >> fields[name].offset * lanes.LANES & lanes.mask(fields[name].width) for name in ("data", "erase"))
            # The packet that drops the key behind its message is none of its beats.
            if host.run.flag(f"{DERIVED_KEY}_valid") and host.run.flag(f"{DERIVED_KEY}_ready") and erases != ONE:
                beats.append(data)

        host.watch = watch
        count = -(-derivation.nbytes // KEY_BEAT_BYTES)
        names, settled = core.round_keys(host.run, 0), 0
        for _ in range(4 * self.most):
            host.step()
            before, names = names, core.round_keys(host.run, 0)
            # They change with each round key that is written.
            settled = settled + 1 if len(beats) >= count and names == before and settled else int(len(beats) >= count and names != before)
            if settled > SETTLED:
                break
        bits = 8 * KEY_BEAT_BYTES * lanes.LANES
        if len(beats) != count:
            raise CircuitError(f"the core derives {len(beats)} beats of a key of {derivation.nbytes} bytes")
        found = sum(word << n * bits for n, word in enumerate(beats)) & lanes.mask(8 * derivation.nbytes)
        if found != wanted:
            raise CircuitError("the key that the core derives of a master key and a nonce is not that of the definition")
        return names


def keys_of(core: SymbolicMessageCore) -> MessageKeys:
    """The keys of a core for messages."""
    for deriver in core.derivers:
        return DerivedKeys(core, deriver)
    return (InlineKeys if core.description.inline else MessageKeys)(core)
