# SPDX-License-Identifier: Apache-2.0
"""Keys of messages that a core derives of master keys, as words of symbols.

::

    master key, nonce ──calls and sums of the definition──▶ key of the message ──▶ parts of the key memory
                                                                │
                                      a core alone with this message: the stream of derived keys has this key,
                                      and what its ciphers then hold are the round keys of the key

The calls and the sums are proved to be those of the definition when the core is compiled (``streams.derive``).  The function of both key
schedules is any function, as in ``keys``: a message in traffic must have the round keys that it has when it is alone, in the first slot.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import reduce
from operator import xor

from modeloom.equivalence import lanes
from modeloom.equivalence.circuit import CircuitError
from modeloom.equivalence.cores import cipher_result
from modeloom.equivalence.host import Host
from modeloom.equivalence.stream.core import DERIVED_KEY, SymbolicMessageCore
from modeloom.equivalence.stream.keys import Loaded, MessageKeys
from modeloom.equivalence.stream.messages import Planned, Symbols
from modeloom.equivalence.stream.packets import Packets
from modeloom.equivalence.stream.words import KeyWords, TokenWords, key_words
from modeloom.interfaces.shared import KEY_BEAT_BYTES
from modeloom.rtl.bus.ports import ordered_key_beat
from modeloom.spec.kinds import ENC
from modeloom.streams.derive import Derivation
from modeloom.streams.prove import Message
from modeloom.streams.steps import Form

__all__ = ["DerivedKeys"]


SETTLED = 24
"""Cycles without a new round key after which the key schedule is done.  Names that are read before are not those of the traffic."""


class DerivedKeys(MessageKeys):
    """Makes master keys for a core, and the keys of messages.

    Parameters
    ----------
    core : SymbolicMessageCore
    """

    def __init__(self, core: SymbolicMessageCore):
        super().__init__(core)
        self._ready: dict[str, Host] = {}
        self._known: dict[tuple[str, int], KeyWords] = {}
        self.nonces = 1 + 4 * (1 if core.derived is None else 1 + core.derived.messages.keys.slots)

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
        core, sizes = self.core, self.description.key_lengths
        assert core.derived is not None
        derivation = core.derived.derivations[sizes.index(key.nbytes)]
        packet = self._derived(derivation, key.words, symbols.nonce)
        names = self._alone(key, planned, symbols, derivation, packet)
        mode, raw, at = core.plan.mode, {}, 0
        for part in mode.key_parts:
            nbytes = mode.part_bytes(part, key.nbytes)
            if part not in mode.cipher_keys:
                raw[part] = packet >> 8 * at * lanes.LANES & lanes.mask(8 * nbytes)
            at += nbytes
        return key_words(core.plan, names, raw)

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

    def _alone(self, key: Loaded, planned: Planned, symbols: Symbols, derivation: Derivation, packet: int) -> dict[str, int]:
        """Names of the round keys of a message that is alone in a core, whose derived key must be this packet."""
        core, d = self.core, self.description
        if key.name not in self._ready:
            self._ready[key.name] = ready = core.host()
            self.load(ready, key.packet, key.nbytes, 0)
        # Runs share the circuit, which does not change.
        host = copy.deepcopy(self._ready[key.name], {id(core.circuit): core.circuit})
        # Its packet does not come, so that the key stays.  A message to seal is stored before its key is derived.
        stored = d.message_buffer is not None
        direction = "decrypt" if stored and "decrypt" in d.directions else planned.message.direction
        message = Message(0, planned.message.nonce_class, direction, planned.message.nonce, d.beat_bytes, 0)
        alone, packets = Planned(message, d.tag_bytes[0]), Packets(d)
        own = Symbols(symbols.nonce, lanes.atom("associated data alone", 8 * d.beat_bytes), 0)
        host.waiting["s_axis_cmd"].append(packets.command(0, alone, own, 0, f"alone {key.name}"))
        if stored and direction == "encrypt":
            host.waiting["s_axis"].extend(packets.beats(alone, own, 0, f"alone {key.name}"))
        fields, beats = ordered_key_beat(), list[int]()

        def watch() -> None:
            word = host.run.output(f"{DERIVED_KEY}_payload")
            data, erases = (word >> fields[name].offset * lanes.LANES & lanes.mask(fields[name].width) for name in ("data", "erase"))
            # The packet that drops the key behind its message is none of its beats.
            if host.run.flag(f"{DERIVED_KEY}_valid") and host.run.flag(f"{DERIVED_KEY}_ready") and not lanes.number(erases):
                beats.append(data)

        host.watch = watch
        wanted = -(-derivation.nbytes // KEY_BEAT_BYTES)
        names, settled = core.round_keys(host.run, 0), 0
        for _ in range(4 * self.most):
            host.step()
            before, names = names, core.round_keys(host.run, 0)
            # They change with each round key that is written.
            settled = settled + 1 if len(beats) >= wanted and names == before and settled else int(len(beats) >= wanted and names != before)
            if settled > SETTLED:
                break
        bits = 8 * KEY_BEAT_BYTES * lanes.LANES
        if len(beats) != wanted:
            raise CircuitError(f"the core derives {len(beats)} beats of a key of {derivation.nbytes} bytes")
        found = sum(word << n * bits for n, word in enumerate(beats)) & lanes.mask(8 * derivation.nbytes)
        if found != packet:
            raise CircuitError("the key that the core derives of a master key and a nonce is not that of the definition")
        return names
